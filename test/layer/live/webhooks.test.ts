import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { testToken } from '../../support/layer.ts';
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
  webhookTest,
} from '../../support/webhooks.ts';

// Any poll would come after the tests.
const test = webhookTest({}, { POLL_RECORDS_MS: '60000' });
const { customerId, itemId } = sandboxExamples;

test('one webhook subscription is created for each record type of a company, with its own clientState', async ({
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

test("every reported record is read with the subscriber's token, never with the service token", async ({
  layer,
  sandbox,
}) => {
  const watcher = await startWatching(layer, sandbox);
  await subscribed(sandbox);
  await sandbox.forgetCalls();
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });
  await watcher.next();
  await watcher.leave();

  // The journal holds no tokens.
  const mark = createHash('sha256').update(testToken).digest('hex').slice(0, 12);
  const reads = (await sandbox.calls()).filter(({ method }) => method === 'GET');
  expect(reads.length).toBeGreaterThan(0);
  for (const { path, headers } of reads) {
    expect(path).toContain('/customers');
    expect(headers.authorization).toBe(`Bearer sha256:${mark}`);
  }
});

test('a notification that says when in an odd way, or not at all, makes the next poll come at once', async ({
  layer,
  sandbox,
}) => {
  const watcher = await startWatching(layer, sandbox);
  const [subscription] = await subscribed(sandbox);
  const item = {
    subscriptionId: subscription?.subscriptionId,
    clientState: subscription?.clientState,
    resource: pathOf('customers', customerId),
    changeType: 'updated',
  };
  const polls = async () => (await sandbox.calls()).filter(isPoll).length;

  for (const [changes, mark] of [
    [{ lastModifiedDateTime: null }, ''],
    [{ lastModifiedDateTime: '' }, ''],
    [{ lastModifiedDateTime: '0001-01-01T00:00:00' }, ''],
    [{ lastModifiedDateTime: '2035-01-02T03:04:05+01:00' }, ''],
    [{ lastModifiedDateTime: '2035-01-02T03:04:06Z', changeType: 'Updated' }, ''],
    [{ lastModifiedDateTime: '2035-01-02T03:04:07Z' }, '\uFEFF'],
    [{ changeType: undefined }, ''],
    [{ changeType: 'renamed' }, ''],
  ] as const) {
    const before = await polls();
    const response = await fetch(`${layer.url}/webhooks/records`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `${mark}${JSON.stringify({ value: [{ ...item, ...changes }] })}`,
    });

    expect(response.ok).toBe(true);
    await expect.poll(polls, { interval: 10, timeout: 10_000 }).toBe(before + 1);
  }
  await watcher.leave();
});

test('two subscribers with two tokens both get each change, once', async ({ layer, sandbox }) => {
  const one = await startWatching(layer, sandbox);
  const other = await startWatching(layer, sandbox, ['CUSTOMER'], 'another');
  await subscribed(sandbox);
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect(await Promise.all([one.during(400, 1), other.during(400, 1)])).toEqual([
    [`UPDATED ${customerId}`],
    [`UPDATED ${customerId}`],
  ]);
  await Promise.all([one.leave(), other.leave()]);
});

test('a notification that arrives twice is reported once', async ({ layer, sandbox }) => {
  const watcher = await startWatching(layer, sandbox);
  await subscribed(sandbox);
  await steer(sandbox, { fault: 'twice' });
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });

  expect(await watcher.during(500, 1)).toEqual([`UPDATED ${customerId}`]);
  expect((await shown(sandbox)).deliveries).toHaveLength(2);
  await watcher.leave();
});

test('notifications out of order are reported once, as the records show', async ({ layer, sandbox }) => {
  const watcher = await startWatching(layer, sandbox);
  await subscribed(sandbox);
  await steer(sandbox, { fault: 'afterNext' });
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });
  await steer(sandbox, { deliver: 'now' });
  await change(sandbox, 'customers', customerId, { city: 'Bergen' });
  const { data } = await watcher.next();
  await steer(sandbox, { deliver: 'now' });

  expect(data.recordChanged.record.city).toBe('Bergen');
  expect(await watcher.during(400)).toEqual([]);
  expect((await shown(sandbox)).deliveries).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
  await watcher.leave();
});

test('a notification that never arrives is made up for by the next', async ({ layer, sandbox }) => {
  const watcher = await startWatching(layer, sandbox, ['ITEM']);
  await subscribed(sandbox);
  const { data } = await layer.query('{ company { items(first: 2) { nodes { id } } } }');
  const other = data.company.items.nodes.find(({ id }: { id: string }) => id !== itemId).id;
  await steer(sandbox, { fault: 'never' });
  await change(sandbox, 'items', other, { unitPrice: 7 });
  await steer(sandbox, { deliver: 'now' });
  await change(sandbox, 'items', itemId, { unitPrice: 8 });

  expect((await watcher.during(500, 2)).sort()).toEqual([`CHANGED ${other}`, `UPDATED ${itemId}`].sort());
  await watcher.leave();
});

test('one service token is fetched, however many record types are watched', async ({ layer, sandbox }) => {
  const watcher = await startWatching(layer, sandbox, ['CUSTOMER', 'ITEM', 'EMPLOYEE', 'SALES_ORDER']);
  await subscribed(sandbox, 4);

  expect((await sandbox.calls()).filter(isToken)).toHaveLength(1);
  await watcher.leave();
});
