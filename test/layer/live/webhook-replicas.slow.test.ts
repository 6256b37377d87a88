import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { freePort } from '../../support/free-port.ts';
import { startTestLayer, testToken } from '../../support/layer.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';
import {
  change,
  isPoll,
  shown,
  startWatching,
  subscribed,
  webhookSettings,
  webhookTest,
} from '../../support/webhooks.ts';

const test = hasRedis ? webhookTest() : webhookTest().skip;
const { customerId } = sandboxExamples;

test('two replicas have one webhook subscription, report what one of them receives, and go on without each other', async ({
  sandbox,
}) => {
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
});
