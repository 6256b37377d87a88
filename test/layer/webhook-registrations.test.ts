import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { sandboxExamples } from '../../src/sandbox/seed/seed.ts';
import { startTestLayer } from '../support/layer.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import {
  change,
  isPoll,
  isToken,
  shown,
  startWatching,
  steer,
  subscribed,
  webhookSettings,
  webhookTest,
} from '../support/webhooks.ts';

const test = webhookTest();
const { customerId } = sandboxExamples;
const isSubscription = ({ path }: { readonly path: string }) => path.includes('/subscriptions');
const writes = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter((call) => isSubscription(call) && call.method !== 'GET');

test('while the upstream tells of changes they are not polled', async ({ layer, sandbox }) => {
  const watcher = await startWatching(layer, sandbox);
  await subscribed(sandbox);
  await sandbox.forgetCalls();
  await sleep(1_500);

  expect(await sandbox.calls()).toEqual([]);
  await watcher.leave();
});

test('the subscription ends a while after the last watcher left, and not when another comes in between', async ({
  layer,
  sandbox,
}) => {
  const first = await startWatching(layer, sandbox);
  const [{ subscriptionId }] = await subscribed(sandbox);
  await first.leave();
  const second = await startWatching(layer, sandbox, ['CUSTOMER'], 'another');
  await sleep(800);
  expect((await shown(sandbox)).subscriptions).toMatchObject([{ subscriptionId }]);

  await second.leave();
  await sleep(100);
  expect((await shown(sandbox)).subscriptions).toHaveLength(1);
  await subscribed(sandbox, 0);
});

test('one who comes after the end has a new one', async ({ layer, sandbox }) => {
  const first = await startWatching(layer, sandbox);
  const [one] = await subscribed(sandbox);
  await first.leave();
  await subscribed(sandbox, 0);
  const second = await startWatching(layer, sandbox);
  const [two] = await subscribed(sandbox);
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect(two.subscriptionId).not.toBe(one.subscriptionId);
  expect(two.clientState).toBe(one.clientState);
  expect(await second.during(300)).toEqual([`UPDATED ${customerId}`]);
  await second.leave();
});

test('every subscription ends when the layer does', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, await webhookSettings(sandbox));
  await startWatching(layer, sandbox, ['CUSTOMER', 'ITEM']);
  await subscribed(sandbox, 2);
  await layer.stop();

  expect((await shown(sandbox)).subscriptions).toEqual([]);
});

test('whatever its id is, it is ended by it, and by nothing that would lead elsewhere', async ({
  sandbox,
}) => {
  await sandbox.fault({
    method: 'POST',
    path: '/subscriptions',
    status: 201,
    headers: { 'content-type': 'application/json' },
    body: `{"subscriptionId":"a'\\ud800')/../companies"}`,
  });
  const layer = await startTestLayer(sandbox.url, await webhookSettings(sandbox));
  await startWatching(layer, sandbox);
  const ended = async () => (await writes(sandbox)).map(({ method, path }) => `${method} ${path}`);
  await expect.poll(ended).toHaveLength(1);
  await layer.stop();

  expect(await ended()).toEqual([
    'POST /api/v2.0/subscriptions',
    "DELETE /api/v2.0/subscriptions('a''%EF%BF%BD'')%2F..%2Fcompanies')",
  ]);
});

test('it is renewed before it ends, with its entity tag and a handshake', async ({ layer, sandbox }) => {
  await steer(sandbox, { lifetimeMs: 3_000 });
  const watcher = await startWatching(layer, sandbox);
  const [{ subscriptionId, etag }] = await subscribed(sandbox);
  await sleep(3_500);
  const [renewed] = (await shown(sandbox)).subscriptions;
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect(renewed.subscriptionId).toBe(subscriptionId);
  const [made, ...renewals] = await writes(sandbox);
  expect(made).toMatchObject({ method: 'POST', status: 201 });
  expect(renewals.length).toBeGreaterThan(0);
  expect(renewals[0]).toMatchObject({ method: 'PATCH', status: 200, headers: { 'if-match': etag } });
  expect(await watcher.during(300)).toEqual([`UPDATED ${customerId}`]);
  await watcher.leave();
});

test('one that a layer left behind is taken over', async ({ sandbox }) => {
  const settings = await webhookSettings(sandbox);
  const former = await startTestLayer(sandbox.url, settings);
  const watcher = await startWatching(former, sandbox);
  const [{ subscriptionId }] = await subscribed(sandbox);
  await sandbox.fault({ method: 'DELETE', path: 'subscriptions', status: 503, body: {} });
  await watcher.leave();
  await former.stop();
  const layer = await startTestLayer(sandbox.url, { ...settings, OPERATION_SECRETS: 'quite another secret' });
  const next = await startWatching(layer, sandbox);
  await sleep(300);
  const { subscriptions } = await shown(sandbox);
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect(subscriptions).toMatchObject([{ subscriptionId }]);
  expect(await next.during(300)).toEqual([`UPDATED ${customerId}`]);
  await next.leave();
  await layer.stop();
});

test('where the upstream refuses to tell, changes are polled, and it is asked again', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'POST', path: 'subscriptions', status: 400, times: 2, body: {} });
  const watcher = await startWatching(layer, sandbox);
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect(await watcher.during(700)).toEqual([`CHANGED ${customerId}`]);
  await subscribed(sandbox);
  await change(sandbox, 'customers', customerId, { city: 'Bergen' });
  expect(await watcher.during(300)).toEqual([`UPDATED ${customerId}`]);
  await watcher.leave();
});

test('where no token is to be had, changes are polled', async ({ sandbox }) => {
  const settings = { ...(await webhookSettings(sandbox)), BUSINESS_CLIENT_SECRET: 'a wrong secret' };
  const layer = await startTestLayer(sandbox.url, settings);
  const watcher = await startWatching(layer, sandbox);
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect(await watcher.during(900)).toEqual([`CHANGED ${customerId}`]);
  const calls = await sandbox.calls();
  expect(calls.filter(isToken).map(({ status }) => status)).toContain(401);
  expect(calls.filter(isSubscription)).toEqual([]);
  await watcher.leave();
  await layer.stop();
});

test('a token that is ended before its time is replaced, once', async ({ layer, sandbox }) => {
  const first = await startWatching(layer, sandbox);
  await subscribed(sandbox);
  await sandbox.send('POST', '/sandbox/tokens', { revoke: true });
  await sandbox.forgetCalls();
  const second = await startWatching(layer, sandbox, ['ITEM']);
  await subscribed(sandbox, 2);

  expect((await sandbox.calls()).filter(isToken)).toHaveLength(1);
  await Promise.all([first.leave(), second.leave()]);
});

test('a subscription the upstream has dropped is missed after a while, made anew, and nothing is lost', async ({
  sandbox,
}) => {
  const settings = { ...(await webhookSettings(sandbox)), POLL_RECORDS_MS: '100' };
  const layer = await startTestLayer(sandbox.url, settings);
  const watcher = await startWatching(layer, sandbox);
  const [{ subscriptionId: drop }] = await subscribed(sandbox);
  await steer(sandbox, { drop });
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect((await watcher.next()).data.recordChanged.id).toBe(customerId);
  await subscribed(sandbox);
  expect((await sandbox.calls()).filter(isPoll).length).toBeLessThan(10);
  await watcher.leave();
  await layer.stop();
});
