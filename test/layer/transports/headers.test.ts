import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed.ts';
import { testBeforeStub, testToken } from '../../support/layer.ts';

const { customerId: id } = sandboxExamples;

const test = testBeforeStub(({ method, target, body }) => {
  if (method === 'DELETE') return { status: 204 };
  const asked = /customers\((.+)\)/.exec(target)?.[1];
  if (!target.endsWith('$batch')) return { body: { value: [], id: asked, name: 'SI_1', properties: {} } };
  const { requests } = JSON.parse(body) as { requests: { id: string }[] };
  return { body: { responses: requests.map((part) => ({ id: part.id, status: 204 })) } };
});

const update = `mutation ($ifMatch: String!) {
  updateCustomer(input: { id: "${id}", ifMatch: $ifMatch, patch: { city: "Oslo" } }) { userErrors { code path } }
}`;
const remove = `mutation ($ifMatch: String!) {
  deleteCustomer(input: { id: "${id}", ifMatch: $ifMatch }) { userErrors { code path } }
}`;
test('an ifMatch that is neither an entity tag of at most 1 KB nor * is INVALID_INPUT and not sent; any other is sent byte for byte', async ({
  scene: { stub, layer },
}) => {
  const valid = ['*', '""', 'W/"a"', '"\u00ff"', `"${'x'.repeat(999)}"`];
  const invalid = [
    '',
    'a',
    'w/"a"',
    '"a","b"',
    '"a b"',
    '"\u0100"',
    '"\r\nx-injected: 1\r\n"',
    `"${'x'.repeat(1_010)}"`,
  ];
  for (const ifMatch of [...valid, ...invalid])
    for (const [query, field] of [
      [update, 'updateCustomer'],
      [remove, 'deleteCustomer'],
    ] as const) {
      const before = stub.requests.length;
      const { data } = await layer.query(query, { ifMatch });

      const sent = stub.requests.slice(before);
      if (valid.includes(ifMatch))
        expect(sent.find(({ method }) => method !== 'GET')?.headers['if-match']).toBe(ifMatch);
      else {
        expect(sent).toEqual([]);
        expect(data[field].userErrors).toEqual([{ code: 'INVALID_INPUT', path: ['input', 'ifMatch'] }]);
      }
    }
});

const queries = `{ companies { totalCount } healthEvent(trackingId: "SI_1") { title } }`;
const values = ['127.0.0.1', 'true', '../..'];
const ofOthers = [
  ...['x-user', 'x-forwarded-for', 'x-forwarded-host', 'forwarded', 'x-http-method-override', 'x-company-id'],
  ...[
    'apollographql-client-name',
    'apollo-federation-include-trace',
    'traceparent',
    'baggage',
    'x-request-id',
  ],
  ...['cookie', 'referer', 'if-match', 'prefer', 'range', 'proxy-authorization', 'data-access-intent'],
];

const always = ['accept', 'accept-encoding', 'accept-language', 'authorization', 'connection', 'host'];

test('no header of a caller or a router changes upstream calls, and none but the token and the languages is forwarded', async ({
  scene: { stub, layer },
}) => {
  const send = async (headers: Record<string, string>) => {
    const before = stub.requests.length;
    const { data, errors } = await layer.query(queries, {}, headers);
    expect(errors).toBeUndefined();
    const requests = stub.requests.slice(before).map(({ headers, ...request }) => {
      const { 'client-request-id': _ofA, 'x-ms-client-request-id': _ofC, ...others } = headers;
      return { ...request, headers: others };
    });
    return { data, requests: requests.toSorted((a, b) => (a.target < b.target ? -1 : 1)) };
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

  for (const value of values)
    expect(await send(Object.fromEntries(ofOthers.map((name) => [name, value])))).toEqual(plain);
});
