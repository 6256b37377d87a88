import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { startTestLayer } from '../../support/layer.ts';
import {
  change,
  shown,
  startWatching,
  subscribed,
  subscriptionWrites,
  webhookSettings,
  webhookTest,
} from '../../support/webhooks.ts';

const test = webhookTest();
const { customerId } = sandboxExamples;

test('every webhook subscription is deleted at shutdown', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, await webhookSettings(sandbox));
  await startWatching(layer, sandbox, ['CUSTOMER', 'ITEM']);
  await subscribed(sandbox, 2);
  await layer.stop();

  expect((await shown(sandbox)).subscriptions).toEqual([]);
});

test('whatever its id is, a webhook subscription is deleted by it, and the id never changes the path', async ({
  sandbox,
}) => {
  await sandbox.fault({
    method: 'POST',
    path: '/subscriptions',
    status: 201,
    headers: { 'content-type': 'application/json' },
    body: `{"subscriptionId":"a'\\ud800')/companies"}`,
  });
  const layer = await startTestLayer(sandbox.url, await webhookSettings(sandbox));
  await startWatching(layer, sandbox);
  const ended = async () =>
    (await subscriptionWrites(sandbox)).map(({ method, path }) => `${method} ${path}`);
  await expect.poll(ended).toHaveLength(1);
  await layer.stop();

  expect(await ended()).toEqual([
    'POST /api/v2.0/subscriptions',
    "DELETE /api/v2.0/subscriptions('a''%EF%BF%BD'')%2Fcompanies')",
  ]);
});

test('a webhook subscription that another process left behind is taken over', async ({ sandbox }) => {
  const settings = await webhookSettings(sandbox);
  const former = await startTestLayer(sandbox.url, settings);
  const watcher = await startWatching(former, sandbox);
  const [{ subscriptionId }] = await subscribed(sandbox);
  await sandbox.fault({ method: 'DELETE', path: 'subscriptions', status: 503, body: {} });
  await watcher.leave();
  await former.stop();
  const methods = async () => (await subscriptionWrites(sandbox)).map(({ method }) => method);
  const layer = await startTestLayer(sandbox.url, { ...settings, OPERATION_SECRETS: 'quite another secret' });
  const next = await startWatching(layer, sandbox);
  await expect.poll(methods).toEqual(['POST', 'DELETE', 'PATCH']);
  await sleep(300);
  const { subscriptions } = await shown(sandbox);
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect(subscriptions).toMatchObject([{ subscriptionId }]);
  expect(await next.during(300, 1)).toEqual([`UPDATED ${customerId}`]);
  await next.leave();
  await layer.stop();
});

test('the webhook subscription of another deployment is neither changed nor deleted', async ({ sandbox }) => {
  const others = await startTestLayer(sandbox.url, await webhookSettings(sandbox));
  const theirs = await startWatching(others, sandbox);
  const [{ subscriptionId }] = await subscribed(sandbox);
  const layer = await startTestLayer(sandbox.url, await webhookSettings(sandbox));
  const ours = await startWatching(layer, sandbox);
  await subscribed(sandbox, 2);
  await ours.leave();
  await layer.stop();

  expect((await shown(sandbox)).subscriptions).toMatchObject([{ subscriptionId }]);
  await theirs.leave();
  await others.stop();
});
