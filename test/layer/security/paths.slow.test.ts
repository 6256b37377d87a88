import fc from 'fast-check';
import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed.ts';
import { type Answer, testBeforeStub, testToken } from '../../support/layer.ts';
import { actionInput, place, stop } from '../../support/operations.ts';
import type { StubRequest } from '../../support/stub.ts';

const test = testBeforeStub(() => ({ status: 404, body: {} }));

const { customerId } = sandboxExamples;

/** What means something in a path, in an address or in a line of HTTP, or looks as if it did. */
const fragments = fc.constantFrom(
  ...'. .. / // \\ %2e %2E%2e %2f %5c %00 % %zz ? # & = ; : @ + ( ) \' " { * ../ ..;/ ?api-version=1'.split(
    ' ',
  ),
  ...'\0 \n \r\n \t \u0085 \u2024 \uff0e \uff0f \u2215 \u202e \ufeff \u200b \ud800 \udc00 é İ 名'.split(' '),
  ...[' ', 'tenant', 'stop', customerId, '\r\nx-injected: 1', ' HTTP/1.1\r\nhost: evil.example'],
);
const hostile = fc.oneof(
  fc.array(fc.oneof(fragments, fc.string({ maxLength: 2 })), { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', minLength: 80, maxLength: 100 }),
);

/** Whether a text can be one segment, however it is encoded. */
const isSegment = (text: string) => !['', '.', '..'].includes(text) && !/[/\\\p{Cc}\p{Cs}]/u.test(text);
/** The request is the one its segments and parameters say, to a reader who splits it, and to one who resolves it. */
function expectExactly(request: StubRequest, segments: readonly string[], version: string): void {
  const [path = '', query] = request.target.split('?');
  expect(path.split('/').map(decodeURIComponent)).toEqual(['', ...segments]);
  expect(path).toMatch(/^[\w\-.~!*'()%/]+$/);
  expect(new URL(request.target, 'http://upstream').pathname).toBe(path);
  expect(query).toBe(`api-version=${version}`);
  const { 'content-type': _type, 'content-length': _length, ...headers } = request.headers;
  expect(headers).toEqual({
    accept: 'application/json',
    'accept-encoding': 'br, gzip',
    'accept-language': '*',
    authorization: `Bearer ${testToken}`,
    connection: 'keep-alive',
    host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    'user-agent': expect.stringMatching(/^tributary\/[\d.]+$/),
    'x-ms-client-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
  });
}

const instance = `query ($s: String!, $g: String!, $v: String!, $a: String!) {
  applicationInstance(
    subscriptionId: $s, resourceGroupName: $g, virtualInstanceName: $v, applicationInstanceName: $a
  ) { status }
}`;
const names = fc.tuple(hostile, hostile, hostile, hostile);
const usual = [place.subscriptionId, place.resourceGroupName, place.virtualInstanceName, 'app01'] as const;
// Mostly one of them is hostile, so that the others do not hide what becomes of it.
const addresses = fc.oneof(
  names,
  fc
    .tuple(hostile, fc.nat(3))
    .map(
      ([text, at]) =>
        usual.map((name, index) => (index === at ? text : name)) as [string, string, string, string],
    ),
);

test('no name of an instance changes the path that is read, stopped or started', async ({ scene }) => {
  const { stub, layer } = scene;
  const segments = ([s, g, v, a]: readonly [string, string, string, string]) => [
    ...['subscriptions', s, 'resourceGroups', g, 'providers', 'Vendor.Workloads'],
    ...['virtualInstances', v, 'applicationInstances', a],
  ];
  await fc.assert(
    fc.asyncProperty(addresses, async (address) => {
      const [s, g, v, a] = address;
      const isFit = address.every(isSegment) && [...g].length <= 90;
      const before = stub.requests.length;
      const input = actionInput({
        subscriptionId: s,
        resourceGroupName: g,
        virtualInstanceName: v,
        applicationInstanceName: a,
      });

      const read = await layer.query(instance, { s, g, v, a });
      const stopped = await layer.query(stop, { input });

      const asked = stub.requests.slice(before);
      expect(asked.map(({ method }) => method)).toEqual(isFit ? ['GET', 'POST'] : []);
      if (!isFit) {
        expect(read.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
        expect(stopped.data.stopApplicationInstance.userErrors[0].code).toBe('INVALID_INPUT');
        return;
      }
      expectExactly(asked[0] as StubRequest, segments(address), '2023-04-01');
      expectExactly(asked[1] as StubRequest, [...segments(address), 'stop'], '2023-04-01');
      expect(asked[1]?.body).toBe('{"softStopTimeoutSeconds":0}');
    }),
    { numRuns: 100 },
  );
});

const event = 'query ($t: String!, $s: String) { healthEvent(trackingId: $t, subscriptionId: $s) { title } }';
const entities = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) { __typename ... on Customer { city } ... on Company { name } }
}`;

test('no tracking id and no subscription changes which event is read, nor as an entity', async ({
  scene,
}) => {
  const { stub, layer } = scene;
  const ask = async (t: string, s: string | null, query: () => Promise<Answer>) => {
    const before = stub.requests.length;
    const isFit = isSegment(t) && (s === null || isSegment(s));
    const { errors } = await query();

    const asked = stub.requests.slice(before);
    if (!isFit) expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    const scope = s === null ? [] : ['subscriptions', s];
    const segments = [...scope, 'providers', 'Vendor.Health', 'events', t];
    // A plain read, and as nothing is found a fetch.
    const expected = isFit ? [segments, [...segments, 'fetchEventDetails']] : [];
    expect(asked).toHaveLength(expected.length);
    for (const [index, request] of asked.entries())
      expectExactly(request, expected[index] ?? [], '2025-05-01');
  };
  // To the fetch "tenant" is no subscription, and to an entity it is none at all.
  const subscription = fc.option(
    hostile.filter((text) => text !== 'tenant'),
    { nil: null },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(hostile, fc.constant('SI_1-QRT')), subscription, async (t, s) => {
      await ask(t, s, () => layer.query(event, { t, s }));
      const representations = [{ __typename: 'HealthEvent', trackingId: t, scope: s ?? 'tenant' }];
      await ask(t, s, () => layer.query(entities, { representations }));
    }),
    { numRuns: 100 },
  );
});
