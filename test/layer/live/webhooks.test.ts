import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { startLayerForTest, startTestLayer, testToken } from '../../support/layer.ts';
import {
  change,
  create,
  isPoll,
  isToken,
  pathOf,
  remove,
  shown,
  startWatching,
  steer,
  subscribed,
  subscriptionWrites,
  webhookSettings,
  webhookTest,
} from '../../support/webhooks.ts';

// Any poll would come after the tests.
const test = webhookTest({}, { POLL_RECORDS_MS: '60000' });
const polled = webhookTest();
/** Notifications are held back until the sandbox is told to deliver. */
const held = webhookTest(
  { webhooks: { delayMs: 60_000, collectionLimit: 2, retryPausesMs: [20, 20] } },
  { POLL_RECORDS_MS: '60000' },
);
const dynamics = webhookTest(
  { dialect: 'dynamics' },
  { BUSINESS_DIALECT: 'dynamics', POLL_RECORDS_MS: '60000' },
);
const { customerId } = sandboxExamples;

test('one webhook subscription is created for each record type of a company, with its own clientState and one service token', async ({
  layer,
  sandbox,
}) => {
  const one = await startWatching(layer, sandbox, ['CUSTOMER', 'ITEM']);
  const other = await startWatching(layer, sandbox, ['CUSTOMER'], 'another');
  const subscriptions = await subscribed(sandbox, 2);

  expect(subscriptions.map(({ resource }) => resource).sort()).toEqual([
    pathOf('customers'),
    pathOf('items'),
  ]);
  expect(new Set(subscriptions.map(({ clientState }) => clientState)).size).toBe(2);
  for (const { owner, notificationUrl, clientState } of subscriptions) {
    expect(owner).toBe('tributary');
    expect(notificationUrl).toBe(`${layer.url}/webhooks/records`);
    expect(clientState).toMatch(/^[\w-]{43}$/);
  }
  expect((await sandbox.calls()).filter(isToken)).toHaveLength(1);
  await Promise.all([one.leave(), other.leave()]);
});

test("creates, updates and deletes are reported as such, with the record as the subscriber's token reads it", async ({
  layer,
  sandbox,
}) => {
  const watcher = await startWatching(layer, sandbox);
  await subscribed(sandbox);

  const id = await create(sandbox, 'customers', { displayName: 'New' });
  const created = await watcher.next();
  await change(sandbox, 'customers', id, { city: 'Oslo' });
  const updated = await watcher.next();
  await remove(sandbox, 'customers', id);
  const deleted = await watcher.next();
  await watcher.leave();

  expect(created.errors).toBeUndefined();
  expect(created.data.recordChanged).toMatchObject({ change: 'CREATED', id, record: { id, city: null } });
  expect(updated.data.recordChanged).toMatchObject({
    type: 'CUSTOMER',
    change: 'UPDATED',
    companyId: sandboxCompanyId,
    lastModifiedDateTime: expect.stringMatching(/^\d{4}-/),
    record: { id, city: 'Oslo' },
  });
  expect(deleted.data.recordChanged).toEqual({
    type: 'CUSTOMER',
    change: 'DELETED',
    companyId: sandboxCompanyId,
    id,
    recordNodeId: created.data.recordChanged.record.nodeId,
    lastModifiedDateTime: null,
    record: null,
  });
});

test('two subscribers get each change once, though it is notified twice, read with the token of each and no other', async ({
  layer,
  sandbox,
}) => {
  const one = await startWatching(layer, sandbox);
  const other = await startWatching(layer, sandbox, ['CUSTOMER'], 'another');
  await subscribed(sandbox);
  await sandbox.forgetCalls();
  await steer(sandbox, { fault: 'twice' });
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect(await Promise.all([one.during(400, 1), other.during(400, 1)])).toEqual([
    [`UPDATED ${customerId}`],
    [`UPDATED ${customerId}`],
  ]);
  expect((await shown(sandbox)).deliveries).toHaveLength(2);
  // The journal holds no tokens.
  const marks = [testToken, 'another'].map(
    (token) => `Bearer sha256:${createHash('sha256').update(token).digest('hex').slice(0, 12)}`,
  );
  const reads = (await sandbox.calls()).filter(({ method }) => method === 'GET');
  for (const { path } of reads) expect(path).toContain('/customers');
  expect(new Set(reads.map(({ headers }) => headers.authorization))).toEqual(new Set(marks));
  await Promise.all([one.leave(), other.leave()]);
});

held(
  'more changes than are reported individually are looked up once, and reported as CHANGED',
  async ({ layer, sandbox }) => {
    const { data } = await layer.query('{ company { customers(first: 5) { nodes { id } } } }');
    const ids: string[] = data.company.customers.nodes.map(({ id }: { id: string }) => id);
    const watcher = await startWatching(layer, sandbox);
    await subscribed(sandbox);
    await sandbox.forgetCalls();
    for (const id of ids) await change(sandbox, 'customers', id, { city: 'Oslo' });
    await steer(sandbox, { deliver: 'now' });

    expect((await watcher.during(400, ids.length)).sort()).toEqual(ids.map((id) => `CHANGED ${id}`).sort());
    const [{ body }] = (await shown(sandbox)).deliveries;
    expect(body).toContain('"changeType":"collection"');
    expect((await sandbox.calls()).filter(isPoll)).toHaveLength(1);
    await watcher.leave();
  },
);

held('a change that the subscriber cannot read is not reported', async ({ layer, sandbox }) => {
  const watcher = await startWatching(layer, sandbox);
  await subscribed(sandbox);
  await sandbox.fault({
    method: 'GET',
    path: `customers(${customerId})`,
    status: 404,
    times: 1,
    body: { error: { code: 'Internal_RecordNotFound', message: 'no' } },
  });
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });
  await steer(sandbox, { deliver: 'now' });

  expect(await watcher.during(400)).toEqual([]);
  await watcher.leave();
});

held("a deletion is reported once the set can be read with the subscriber's token", async ({ sandbox }) => {
  const layer = await startLayerForTest(sandbox.url, await webhookSettings(sandbox));
  const id = await create(sandbox, 'customers', { displayName: 'Short-lived' });
  const watcher = await startWatching(layer, sandbox);
  await subscribed(sandbox);
  await remove(sandbox, 'customers', id);
  const fault = { method: 'GET', path: pathOf('customers'), status: 503, body: {} };
  await sandbox.fault({ ...fault, times: 2 });
  await sandbox.forgetCalls();
  await steer(sandbox, { deliver: 'now' });

  expect(await watcher.during(300)).toEqual([]);
  expect((await sandbox.calls()).map(({ status }) => status)).toEqual([503]);
  expect(await watcher.during(1_500, 1)).toEqual([`DELETED ${id}`]);
  await watcher.leave();
});

dynamics('webhooks in the dialect of the Dynamics service are understood', async ({ layer, sandbox }) => {
  const watcher = await startWatching(layer, sandbox);
  await subscribed(sandbox);

  const id = await create(sandbox, 'customers', { displayName: 'New' });
  expect(await watcher.during(400, 1)).toEqual([`CREATED ${id}`]);
  await remove(sandbox, 'customers', id);
  expect(await watcher.during(400, 1)).toEqual([`DELETED ${id}`]);
  await watcher.leave();
});

polled(
  'every webhook subscription is deleted at shutdown, and none of another deployment',
  async ({ sandbox }) => {
    const others = await startTestLayer(sandbox.url, await webhookSettings(sandbox));
    const theirs = await startWatching(others, sandbox);
    const [{ subscriptionId }] = await subscribed(sandbox);
    const layer = await startTestLayer(sandbox.url, await webhookSettings(sandbox));
    await startWatching(layer, sandbox, ['CUSTOMER', 'ITEM']);
    await subscribed(sandbox, 3);
    await layer.stop();

    expect((await shown(sandbox)).subscriptions).toMatchObject([{ subscriptionId }]);
    await theirs.leave();
    await others.stop();
  },
);

polled(
  'whatever its id is, a webhook subscription is deleted by it, and the id never changes the path',
  async ({ sandbox }) => {
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
  },
);

polled('a webhook subscription that another process left behind is taken over', async ({ sandbox }) => {
  const settings = await webhookSettings(sandbox);
  const former = await startTestLayer(sandbox.url, settings);
  const watcher = await startWatching(former, sandbox);
  const [{ subscriptionId }] = await subscribed(sandbox);
  await sandbox.fault({ method: 'DELETE', path: 'subscriptions', status: 503, body: {} });
  await watcher.leave();
  await former.stop();
  const methods = async () => (await subscriptionWrites(sandbox)).map(({ method }) => method);
  const layer = await startLayerForTest(sandbox.url, {
    ...settings,
    OPERATION_SECRETS: 'quite another secret',
  });
  const next = await startWatching(layer, sandbox);
  await expect.poll(methods).toEqual(['POST', 'DELETE', 'PATCH']);
  await sleep(300);
  const { subscriptions } = await shown(sandbox);
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect(subscriptions).toMatchObject([{ subscriptionId }]);
  expect(await next.during(300, 1)).toEqual([`UPDATED ${customerId}`]);
  await next.leave();
});
