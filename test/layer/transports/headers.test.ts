import fc from 'fast-check';
import { createClient } from 'graphql-ws';
import { test as base, expect } from 'vitest';
import { WebSocket } from 'ws';
import { sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { fixture } from '../../support/fixture.ts';
import { startTestLayer, testToken } from '../../support/layer.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { startStub } from '../../support/stub.ts';

const { customerId: id } = sandboxExamples;

const test = base.extend(
  'scene',
  { scope: 'file' },
  fixture(async ({ onCleanup }) => {
    const stub = await startStub(({ method, target, body }) => {
      if (method === 'DELETE') return { status: 204 };
      const asked = /customers\((.+)\)/.exec(target)?.[1];
      if (!target.endsWith('$batch')) return { body: { value: [], id: asked, name: 'SI_1', properties: {} } };
      const { requests } = JSON.parse(body) as { requests: { id: string }[] };
      return { body: { responses: requests.map((part) => ({ id: part.id, status: 204 })) } };
    });
    const layer = await startTestLayer(stub.url);
    onCleanup(async () => {
      await layer.stop();
      stub.stop();
    });
    return { stub, layer };
  }),
);

const update = `mutation ($ifMatch: String!) {
  updateCustomer(input: { id: "${id}", ifMatch: $ifMatch, patch: { city: "Oslo" } }) { userErrors { code path } }
}`;
const remove = `mutation ($ifMatch: String!) {
  deleteCustomer(input: { id: "${id}", ifMatch: $ifMatch }) { userErrors { code path } }
}`;
const odd = fc.constantFrom(
  ...[
    '\r\n',
    '\0',
    '\t',
    ' ',
    '"',
    '\u007f',
    '\u00ff',
    '\u0100',
    '\ud800',
    'W/',
    'w/',
    '*',
    ',',
    '""',
    '"a"',
  ],
  ...['"\r\nx-injected: 1\r\n"', 'x'.repeat(990), 'x'.repeat(1_010)],
);
const tags = fc.oneof(
  odd,
  fc.array(fc.oneof(odd, fc.string({ maxLength: 3 })), { maxLength: 5 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => `W/"${text}"`),
  fc.string({ maxLength: 20 }).map((text) => `"${text}"`),
);
const isTag = (text: string) => /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(text) && text.length <= 1_004;

test('an ifMatch that is neither an entity tag of at most 1 KB nor * is INVALID_INPUT and not sent; any other is sent byte for byte', async ({
  scene: { stub, layer },
}) => {
  await fc.assert(
    fc.asyncProperty(tags, async (ifMatch) => {
      for (const [query, field] of [
        [update, 'updateCustomer'],
        [remove, 'deleteCustomer'],
      ] as const) {
        const before = stub.requests.length;
        const { data } = await layer.query(query, { ifMatch });

        const written = stub.requests.slice(before).filter(({ method }) => method !== 'GET');
        if (ifMatch === '*' || isTag(ifMatch)) {
          expect(written.map(({ headers }) => headers['if-match'])).toEqual([ifMatch]);
          expect(written[0]?.headers).not.toHaveProperty('x-injected');
        } else {
          expect(stub.requests).toHaveLength(before);
          expect(data[field].userErrors).toEqual([{ code: 'INVALID_INPUT', path: ['input', 'ifMatch'] }]);
        }
      }
    }),
    { numRuns: 40 },
  );
});

test.for(['\u00e9', 'a b', 'a\r\nx-injected: 1', ''])(
  'a token with %j is invalid: its WebSocket is rejected, and nothing is sent',
  async (odd, { scene: { stub, layer } }) => {
    const before = stub.requests.length;
    const client = createClient({
      url: `${layer.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: odd === '' ? 'Bearer ' : `Bearer of${odd}us` },
      retryAttempts: 0,
    });
    const query = 'subscription { healthEventChanged(trackingId: "SI_1") { title } }';
    const events = client.iterate({ query });
    const { value } = await events.next();
    await events.return?.();

    expect(value.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    expect(stub.requests).toHaveLength(before);
  },
);

const queries = `{ companies { totalCount } healthEvent(trackingId: "SI_1") { title } }`;
const values = fc.oneof(
  fc.constantFrom('admin', '127.0.0.1', 'https://evil.example', 'true', 'for=1;host=evil', '../..'),
  fc.string({ unit: fc.constantFrom(...'abz019-_.:;=,/@*"{}') }),
);
const routers = fc.constantFrom(
  ...['x-user', 'x-forwarded-for', 'x-forwarded-host', 'forwarded', 'x-http-method-override', 'x-company-id'],
  ...[
    'apollographql-client-name',
    'apollo-federation-include-trace',
    'traceparent',
    'baggage',
    'x-request-id',
  ],
  ...['cookie', 'referer', 'if-match', 'prefer', 'range', 'proxy-authorization', 'data-access-intent'],
);

const always = ['accept', 'accept-encoding', 'accept-language', 'authorization', 'connection', 'host'];

test('no header of a caller or a router changes upstream calls, and none but the token and the languages is forwarded', async ({
  scene: { stub, layer },
}) => {
  const send = async (headers: Record<string, string>) => {
    const before = stub.requests.length;
    const { data, errors } = await layer.query(queries, {}, headers);
    expect(errors).toBeUndefined();
    const requests = stub.requests.slice(before).map(({ headers, ...request }) => {
      const { 'client-request-id': ofA, 'x-ms-client-request-id': ofC, ...others } = headers;
      return { ...request, headers: others, ids: [ofA, ofC].filter((id) => id !== undefined) };
    });
    const ids = requests.flatMap((request) => request.ids);
    expect(ids).toEqual(Array(2).fill(expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)));
    expect(ids[0]).toBe(ids[1]);
    const sorted = requests.toSorted((a, b) => (a.target < b.target ? -1 : 1));
    return { data, requests: sorted.map(({ ids: _own, ...request }) => request) };
  };
  const plain = await send({});
  expect(plain.requests.map(({ headers }) => Object.keys(headers).sort())).toEqual([
    [...always, 'prefer', 'user-agent'],
    [...always, 'user-agent'],
  ]);
  for (const { headers } of plain.requests) {
    expect(headers.authorization).toBe(`Bearer ${testToken}`);
    // What Node's own client says of languages where a test does not.
    expect(headers['accept-language']).toBe('*');
    expect(headers['user-agent']).toMatch(/^tributary\/\d+\.\d+\.\d+/);
  }

  await fc.assert(
    fc.asyncProperty(fc.dictionary(routers, values, { minKeys: 1, maxKeys: 8 }), async (headers) => {
      expect(await send(headers)).toEqual(plain);
    }),
    { numRuns: 20 },
  );
});

test('`x-request-timeout` shortens the time of a request, and never extends it', async () => {
  const sandbox = await startTestSandbox();
  const layer = await startTestLayer(sandbox.url, { REQUEST_TIMEOUT_MS: '300', UPSTREAM_ATTEMPTS: '1' });
  // Two calls, one after the other: each is in time, both are not.
  await sandbox.fault({ delayMs: 200, times: 2 });
  const query = '{ company { salesOrders(first: 1) { nodes { billToCustomer { city } } } } }';

  const { errors } = await layer.query(query, {}, { 'x-request-timeout': '60000' });
  await layer.stop();
  await sandbox.stop();

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
});
