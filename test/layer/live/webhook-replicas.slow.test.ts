import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { freePort } from '../../support/free-port.ts';
import { startTestLayer, type TestLayer, testToken } from '../../support/layer.ts';
import { hasRedis, startTestRedis, type TestRedis } from '../../support/redis.ts';
import type { TestSandbox } from '../../support/sandbox.ts';
import {
  change,
  isPoll,
  shown,
  startWatching,
  steer,
  subscribed,
  webhookSettings,
  webhookTest,
} from '../../support/webhooks.ts';

const test = hasRedis ? webhookTest() : webhookTest().skip;
const { customerId } = sandboxExamples;

let redis: TestRedis;
beforeAll(async () => {
  if (hasRedis) redis = await startTestRedis();
});
afterAll(() => redis?.kill());

/** Two replicas behind one address; the upstream reaches the first. */
async function startReplicas(sandbox: TestSandbox): Promise<readonly [TestLayer, TestLayer]> {
  const settings = { ...(await webhookSettings(sandbox)), REDIS_URL: redis.url };
  const other = { ...settings, PORT: String(await freePort()) };
  return [await startTestLayer(sandbox.url, settings), await startTestLayer(sandbox.url, other)];
}

test('two replicas create one upstream subscription, and both report what one of them receives', async ({
  sandbox,
}) => {
  const [near, far] = await startReplicas(sandbox);
  const watchers = await Promise.all([
    startWatching(near, sandbox),
    startWatching(far, sandbox, ['CUSTOMER'], 'another'),
  ]);
  await subscribed(sandbox);
  // The replica that does not lead hears of the subscription when it asks again.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await sandbox.forgetCalls();
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect((await sandbox.calls()).filter(isPoll)).toEqual([]);
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  const told = await Promise.all(watchers.map((watcher) => watcher.during(500, 1)));
  expect(told).toEqual([[`UPDATED ${customerId}`], [`UPDATED ${customerId}`]]);
  expect((await shown(sandbox)).deliveries).toHaveLength(1);
  await Promise.all(watchers.map(({ leave }) => leave()));
  await Promise.all([near.stop(), far.stop()]);
});

test('when the replica that holds the subscription ends, another one takes over, and no change is lost', async ({
  sandbox,
}) => {
  const [near, far] = await startReplicas(sandbox);
  const first = await startWatching(far, sandbox);
  const [{ subscriptionId }] = await subscribed(sandbox);
  const second = await startWatching(near, sandbox);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await far.stop();
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect((await second.next()).data.recordChanged).toMatchObject({ id: customerId });
  await expect
    .poll(async () => (await shown(sandbox)).subscriptions)
    .toMatchObject([{ subscriptionId: expect.not.stringContaining(subscriptionId) }]);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await change(sandbox, 'customers', customerId, { city: 'Bergen' });
  expect(await second.during(400, 1)).toEqual([`UPDATED ${customerId}`]);
  await first.leave().catch(() => {});
  await second.leave();
  await near.stop();
});

test('Redis holds no token and no client state of a subscription, and its keys name no company', async ({
  sandbox,
}) => {
  const settings = await webhookSettings(sandbox);
  const layer = await startTestLayer(sandbox.url, { ...settings, REDIS_URL: redis.url });
  const watcher = await startWatching(layer, sandbox);
  const [{ clientState, subscriptionId }] = await subscribed(sandbox);
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });
  await watcher.during(300);
  const client = new Redis(redis.url);
  const keys = await client.keys('*');
  const values = await Promise.all(keys.map((key) => client.get(key)));
  client.disconnect();
  await steer(sandbox, { deliver: 'now' });
  await watcher.leave();
  await layer.stop();

  expect(keys.length).toBeGreaterThan(0);
  expect(keys.join()).not.toContain(sandboxCompanyId);
  for (const secret of [clientState, subscriptionId, 'tributary~', 'eyJhbGci', 'sandbox-secret', testToken])
    expect(`${keys} ${values}`).not.toContain(secret);
});
