import { expect } from 'vitest';
import { startIssuerForTest } from '../../support/issuer.ts';
import { startLayerForTest, test, testToken } from '../../support/layer.ts';

const query = `{ upstreams {
  name isConfigured breaker { state openUntil } pace { inFlight maxInFlight waiting pausedUntil quotaRemaining }
  lately { count failures p50Ms p99Ms }
} }`;
const event = '{ healthEvent(trackingId: "SI_1-QRT") { title } }';
const company = '{ companies { totalCount } }';

const idle = {
  inFlight: 0,
  maxInFlight: 5,
  waiting: 0,
  pausedUntil: null,
  quotaRemaining: null,
};
const closed = { state: 'CLOSED', openUntil: null };

// Each test has a layer of its own: what others have asked would be counted, too.
test('the state of each upstream is reported without an upstream call', async ({ sandbox }) => {
  const layer = await startLayerForTest(sandbox.url);
  await layer.query(event);
  await layer.query(event);
  await sandbox.forgetCalls();

  const { data } = await layer.query(query);

  const none = { count: 0, failures: 0, p50Ms: null, p99Ms: null };
  expect(data.upstreams).toEqual([
    { name: 'BUSINESS', isConfigured: true, breaker: closed, pace: idle, lately: none },
    { name: 'INSTANCES', isConfigured: true, breaker: closed, pace: idle, lately: none },
    {
      name: 'HEALTH',
      isConfigured: true,
      breaker: closed,
      pace: idle,
      lately: { count: 2, failures: 0, p50Ms: expect.any(Number), p99Ms: expect.any(Number) },
    },
  ]);
  expect(await sandbox.calls()).toEqual([]);
});

test('a caller sees its own calls in progress and waiting, and no other caller’s', async ({ sandbox }) => {
  const layer = await startLayerForTest(sandbox.url, { UPSTREAM_CALLS_PER_CALLER: '2' });
  const others = { authorization: 'Bearer another-caller-of-the-tests' };
  await sandbox.fault({ path: '/events/', delayMs: 400, times: 3 });

  const asked = [1, 2, 3].map((number) =>
    layer.query(`{ healthEvent(trackingId: "SI_${number}") { title } }`),
  );
  const paceOf = async (headers = {}) => (await layer.query(query, {}, headers)).data.upstreams[2].pace;
  await expect.poll(() => paceOf()).toEqual({ ...idle, inFlight: 2, maxInFlight: 2, waiting: 1 });

  expect(await paceOf(others)).toEqual({ ...idle, maxInFlight: 2 });
  await Promise.all(asked);
  expect(await paceOf()).toEqual({ ...idle, maxInFlight: 2 });
});

test('a throttled caller sees the end of its pause, and no other caller does', async ({ sandbox }) => {
  const layer = await startLayerForTest(sandbox.url);
  await sandbox.fault({ status: 429, headers: { 'retry-after': '40' } });

  await layer.query(company);
  const { data } = await layer.query(query);
  const other = await layer.query(query, {}, { authorization: 'Bearer another-caller-of-the-tests' });

  const [{ pace }, { pace: elsewhere }] = data.upstreams;
  expect(Date.parse(pace.pausedUntil)).toBeGreaterThan(Date.now());
  expect(elsewhere.pausedUntil).toBeNull();
  expect(other.data.upstreams[0].pace.pausedUntil).toBeNull();
});

test('the state of upstreams is reported to verified callers, and to every caller in dev only', async ({
  sandbox,
}) => {
  const issuer = await startIssuerForTest();
  const ask = async (mode: 'dev' | 'serve', settings: Record<string, string>, token: string) => {
    const layer = await startLayerForTest(sandbox.url, settings, mode);
    const both = '{ upstreams { name } company { name } }';
    const { data, errors } = await layer.query(both, {}, { authorization: `Bearer ${token}` });
    expect(data.company.name).toBe('Harbour & Heath');
    return { upstreams: data.upstreams, codes: errors?.map(({ extensions }) => extensions.code) };
  };
  const told = { upstreams: [{ name: 'BUSINESS' }, { name: 'INSTANCES' }, { name: 'HEALTH' }] };
  const token = await issuer.token('ada', '');

  expect(await ask('serve', {}, testToken)).toEqual({ upstreams: null, codes: ['FORBIDDEN'] });
  expect(await ask('serve', issuer.settings, token)).toEqual(told);
  expect(await ask('dev', {}, testToken)).toEqual(told);
});
