import { expect, test } from 'vitest';
import { startIssuerForTest } from '../../support/issuer.ts';
import { startBeforeStub, type TestLayer } from '../../support/layer.ts';

/** A layer before an upstream with no records. */
const start = (settings: Readonly<Record<string, string>>) =>
  startBeforeStub(() => ({ body: { value: [] } }), settings);

let asked = 0;
/** A query that is answered by one upstream call, which no other query shares. */
const ask = (layer: TestLayer, headers: Readonly<Record<string, string>> = {}) => {
  asked += 1;
  const filter = `{ number: { ne: "${asked}" } }`;
  return layer.query(`{ company { customers(first: 1, filter: ${filter}) { nodes { id } } } }`, {}, headers);
};
/** 20 calls in ten minutes, of which five may come at once. */
const quota = JSON.stringify({ document: { calls: 20, seconds: 600 } });
const codesOf = ({ errors = [] }: Awaited<ReturnType<typeof ask>>) =>
  errors.map(({ extensions }) => extensions.code);

test('a query without time to wait for the quota is UPSTREAM_THROTTLED at once, with the time to wait', async () => {
  const { layer, stub } = await start({ UPSTREAM_QUOTA: quota });
  await Promise.all(Array.from({ length: 5 }, () => ask(layer)));

  const refused = await ask(layer, { 'x-request-timeout': '500' });
  const other = await ask(layer, { authorization: 'Bearer another' });

  expect(refused.errors).toMatchObject([
    { message: expect.stringContaining('quota of calls'), extensions: { code: 'UPSTREAM_THROTTLED' } },
  ]);
  expect(refused.errors?.[0]?.extensions.retryAfterSeconds).toBeGreaterThan(30);
  expect(codesOf(other)).toEqual([]);
  expect(stub.requests).toHaveLength(6);
  const { data } = await layer.query('{ upstreams { pace { quotaRemaining } } }');
  expect(data.upstreams[0].pace.quotaRemaining).toBe(0);
  expect(data.upstreams[1].pace.quotaRemaining).toBeNull();
});

test('a verified caller has one quota for all of its tokens', async () => {
  const issuer = await startIssuerForTest();
  const { layer, stub } = await start({ ...issuer.settings, UPSTREAM_QUOTA: quota });
  const bearer = async (name: string) => ({
    authorization: `Bearer ${await issuer.token(name)}`,
    'x-request-timeout': '500',
  });
  for (let index = 0; index < 5; index++) await ask(layer, await bearer('ann'));

  expect(codesOf(await ask(layer, await bearer('ann')))).toEqual(['UPSTREAM_THROTTLED']);
  expect(codesOf(await ask(layer, await bearer('ben')))).toEqual([]);
  expect(stub.requests).toHaveLength(6);
});

test.each([
  ['dynamics', 1_500],
  ['document', null],
])('in the dialect %s, a caller may send %s calls at once', async (dialect, calls) => {
  const { layer } = await start({ BUSINESS_DIALECT: dialect });

  const { data } = await layer.query('{ upstreams { pace { quotaRemaining } } }');

  expect(data.upstreams[0].pace.quotaRemaining).toBe(calls);
});
