import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { freePort } from '../../support/free-port.ts';
import { startLayerForTest, startTestLayer, testToken } from '../../support/layer.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';
import {
  change,
  isPoll,
  shown,
  startWatching,
  steer,
  subscribed,
  subscriptionWrites,
  webhookSettings,
  webhookTest,
} from '../../support/webhooks.ts';

const test = webhookTest();
const withRedis = hasRedis ? test : test.skip;
const { customerId } = sandboxExamples;

test('a webhook subscription is renewed before it expires, with its entity tag and a handshake', async ({
  layer,
  sandbox,
}) => {
  await steer(sandbox, { lifetimeMs: 3_000 });
  const watcher = await startWatching(layer, sandbox);
  const [{ subscriptionId, etag }] = await subscribed(sandbox);
  await sleep(3_500);
  const [renewed] = (await shown(sandbox)).subscriptions;
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect(renewed.subscriptionId).toBe(subscriptionId);
  const [made, ...renewals] = await subscriptionWrites(sandbox);
  expect(made).toMatchObject({ method: 'POST', status: 201 });
  expect(renewals.length).toBeGreaterThan(0);
  expect(renewals[0]).toMatchObject({ method: 'PATCH', status: 200, headers: { 'if-match': etag } });
  expect(await watcher.during(300, 1)).toEqual([`UPDATED ${customerId}`]);
  await watcher.leave();
});

test('where the upstream refuses a webhook subscription, changes are polled, and it is requested again later', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'POST', path: 'subscriptions', status: 400, times: 2, body: {} });
  const watcher = await startWatching(layer, sandbox);
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect(await watcher.during(700, 1)).toEqual([`CHANGED ${customerId}`]);
  await subscribed(sandbox);
  await change(sandbox, 'customers', customerId, { city: 'Bergen' });
  expect(await watcher.during(300, 1)).toEqual([`UPDATED ${customerId}`]);
  await watcher.leave();
});

test('a webhook subscription that the upstream dropped is noticed and created anew, and no change is lost', async ({
  sandbox,
}) => {
  const settings = { ...(await webhookSettings(sandbox)), POLL_RECORDS_MS: '100' };
  const layer = await startLayerForTest(sandbox.url, settings);
  const watcher = await startWatching(layer, sandbox);
  const [{ subscriptionId: drop }] = await subscribed(sandbox);
  await steer(sandbox, { drop });
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect((await watcher.next()).data.recordChanged.id).toBe(customerId);
  await subscribed(sandbox);
  expect((await sandbox.calls()).filter(isPoll).length).toBeLessThan(10);
  await watcher.leave();
});

test('the webhook subscription ends some time after the last subscriber left, and not if another comes in between', async ({
  sandbox,
}) => {
  // It ends one poll interval after the last subscriber left.
  const settings = { ...(await webhookSettings(sandbox)), POLL_RECORDS_MS: '3000' };
  const layer = await startLayerForTest(sandbox.url, settings);
  const first = await startWatching(layer, sandbox);
  const [{ subscriptionId }] = await subscribed(sandbox);
  await first.leave();
  const second = await startWatching(layer, sandbox, ['CUSTOMER'], 'another');
  await sleep(3_500);
  expect((await shown(sandbox)).subscriptions).toMatchObject([{ subscriptionId }]);

  await second.leave();
  await sleep(100);
  expect((await shown(sandbox)).subscriptions).toHaveLength(1);
  await subscribed(sandbox, 0);
});

withRedis(
  'two replicas have one webhook subscription, report what one of them receives, and go on without each other',
  async ({ sandbox }) => {
    const redis = await startTestRedis();
    const settings = { ...(await webhookSettings(sandbox)), REDIS_URL: redis.url };
    // Behind one address: the upstream reaches the first.
    const near = await startTestLayer(sandbox.url, settings);
    const far = await startTestLayer(sandbox.url, { ...settings, PORT: String(await freePort()) });
    const client = new Redis(redis.url);
    onTestFinished(async () => {
      client.disconnect();
      await redis.kill();
    });
    const first = await startWatching(far, sandbox);
    const [{ subscriptionId, clientState }] = await subscribed(sandbox);
    const second = await startWatching(near, sandbox, ['CUSTOMER'], 'another');
    // The replica that does not lead hears of the subscription when it asks again.
    await sleep(2_500);
    await sandbox.forgetCalls();
    await sleep(1_200);
    expect((await sandbox.calls()).filter(isPoll)).toEqual([]);
    await change(sandbox, 'customers', customerId, { city: 'Oslo' });

    const told = await Promise.all([first, second].map((watcher) => watcher.during(500, 1)));
    expect(told).toEqual([[`UPDATED ${customerId}`], [`UPDATED ${customerId}`]]);
    expect((await shown(sandbox)).deliveries).toHaveLength(1);

    // Redis holds no token and no client state, and its keys name no company.
    const keys = await client.keys('*');
    const values = await Promise.all(keys.map((key) => client.get(key)));
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.join()).not.toContain(sandboxCompanyId);
    for (const secret of [clientState, subscriptionId, 'tributary~', 'eyJhbGci', 'sandbox-secret', testToken])
      expect(`${keys} ${values}`).not.toContain(secret);

    // The replica that holds the subscription ends: no change is lost.
    await far.stop();
    await change(sandbox, 'customers', customerId, { city: 'Bergen' });
    expect((await second.next()).data.recordChanged).toMatchObject({ id: customerId });
    await expect
      .poll(async () => (await shown(sandbox)).subscriptions)
      .toMatchObject([{ subscriptionId: expect.not.stringContaining(subscriptionId) }]);
    await sleep(200);
    await change(sandbox, 'customers', customerId, { city: 'Hamar' });
    expect(await second.during(400, 1)).toEqual([`UPDATED ${customerId}`]);
    await first.leave().catch(() => {});
    await second.leave();
    await near.stop();
  },
);
