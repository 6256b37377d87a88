import { expect, onTestFinished, test } from 'vitest';
import { startIssuer } from '../../support/issuer.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';

/** An upstream with no records, which notes when the calls of each token came. */
async function startUpstream() {
  const at: { readonly token: string | undefined; readonly ms: number }[] = [];
  const stub = await startStub(({ headers }) => {
    at.push({ token: headers.authorization as string | undefined, ms: performance.now() });
    return { body: { value: [] } };
  });
  onTestFinished(() => stub.stop());
  return { url: stub.url, at };
}

async function startLayer(url: string, settings: Readonly<Record<string, string>>) {
  const layer = await startTestLayer(url, settings);
  onTestFinished(() => layer.stop());
  return layer;
}

let asked = 0;
/** A query that is answered by one upstream call, which no other query shares. */
const ask = (layer: TestLayer, headers: Readonly<Record<string, string>> = {}) => {
  asked += 1;
  const filter = `{ number: { ne: "${asked}" } }`;
  return layer.query(`{ company { customers(first: 1, filter: ${filter}) { nodes { id } } } }`, {}, headers);
};
/** 20 calls in this time. */
const quota = (seconds: number) => JSON.stringify({ document: { calls: 20, seconds } });
const codesOf = ({ errors = [] }: Awaited<ReturnType<typeof ask>>) =>
  errors.map(({ extensions }) => extensions.code);
const mostWithin = (ms: number, times: readonly number[]) =>
  Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + ms).length));

test('calls of one caller are spread so that the upstream never gets more than the quota in any window', async () => {
  const { url, at } = await startUpstream();
  const layer = await startLayer(url, { UPSTREAM_QUOTA: quota(2), ADMIN_PORT: '0' });

  const answers = await Promise.all(Array.from({ length: 30 }, () => ask(layer)));

  expect(answers.flatMap(codesOf)).toEqual([]);
  expect(at).toHaveLength(30);
  expect(
    mostWithin(
      2_000,
      at.map(({ ms }) => ms),
    ),
  ).toBeLessThanOrEqual(20);
  const { of } = await layer.metrics();
  expect(of('tributary_upstream_paced_total')).toBeGreaterThan(0);
});

test('a query without time to wait for the quota is UPSTREAM_THROTTLED at once, with the time to wait', async () => {
  const { url, at } = await startUpstream();
  const layer = await startLayer(url, { UPSTREAM_QUOTA: quota(600) });
  await Promise.all(Array.from({ length: 5 }, () => ask(layer)));

  const refused = await ask(layer, { 'x-request-timeout': '500' });
  const other = await ask(layer, { authorization: 'Bearer another' });

  expect(refused.errors).toMatchObject([
    { message: expect.stringContaining('quota of calls'), extensions: { code: 'UPSTREAM_THROTTLED' } },
  ]);
  expect(refused.errors?.[0]?.extensions.retryAfterSeconds).toBeGreaterThan(30);
  expect(codesOf(other)).toEqual([]);
  expect(at).toHaveLength(6);
  const { data } = await layer.query('{ upstreams { pace { quotaRemaining } } }');
  expect(data.upstreams[0].pace.quotaRemaining).toBe(0);
  expect(data.upstreams[1].pace.quotaRemaining).toBeNull();
});

test('a verified caller has one quota for all of its tokens', async () => {
  const issuer = await startIssuer();
  onTestFinished(() => issuer.stop());
  const { url, at } = await startUpstream();
  const layer = await startLayer(url, { ...issuer.settings, UPSTREAM_QUOTA: quota(600) });
  const bearer = async (name: string) => ({
    authorization: `Bearer ${await issuer.token(name)}`,
    'x-request-timeout': '500',
  });
  for (let index = 0; index < 5; index++) await ask(layer, await bearer('ann'));

  expect(codesOf(await ask(layer, await bearer('ann')))).toEqual(['UPSTREAM_THROTTLED']);
  expect(codesOf(await ask(layer, await bearer('ben')))).toEqual([]);
  expect(at).toHaveLength(6);
});

test.each([
  ['dynamics', 1_500],
  ['document', null],
])('in the dialect %s, a caller may send %s calls at once', async (dialect, calls) => {
  const { url } = await startUpstream();
  const layer = await startLayer(url, { BUSINESS_DIALECT: dialect });

  const { data } = await layer.query('{ upstreams { pace { quotaRemaining } } }');

  expect(data.upstreams[0].pace.quotaRemaining).toBe(calls);
});
