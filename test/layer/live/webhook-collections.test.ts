import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { type Event, startTestLayer, type TestLayer } from '../../support/layer.ts';
import {
  change,
  changed,
  create,
  isPoll,
  pathOf,
  remove,
  shown,
  startWatching,
  steer,
  subscribed,
  webhookSettings,
  webhookTest,
} from '../../support/webhooks.ts';

const test = webhookTest(
  { webhooks: { delayMs: 60_000, collectionLimit: 2, retryPausesMs: [20, 20] } },
  { POLL_RECORDS_MS: '60000' },
);
const { customerId } = sandboxExamples;

async function customerIds(layer: TestLayer, count: number): Promise<string[]> {
  const { data } = await layer.query(`{ company { customers(first: ${count}) { nodes { id } } } }`);
  return data.company.customers.nodes.map(({ id }: { id: string }) => id);
}

test('more changes than are reported individually are looked up once, and reported as CHANGED', async ({
  layer,
  sandbox,
}) => {
  const ids = await customerIds(layer, 5);
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
});

test('deletions among them are not reported, all other changes are', async ({ layer, sandbox }) => {
  const ids = await customerIds(layer, 3);
  const watcher = await startWatching(layer, sandbox);
  await subscribed(sandbox);
  const gone = await create(sandbox, 'customers', { displayName: 'Short-lived' });
  await remove(sandbox, 'customers', gone);
  for (const id of ids) await change(sandbox, 'customers', id, { city: 'Oslo' });
  await steer(sandbox, { deliver: 'now' });

  expect((await watcher.during(400, ids.length)).sort()).toEqual(ids.map((id) => `CHANGED ${id}`).sort());
  expect((await shown(sandbox)).deliveries[0].body).toContain('/customers"');
  await watcher.leave();
});

test('a collection notification that arrives twice reports no change twice', async ({ layer, sandbox }) => {
  const ids = await customerIds(layer, 3);
  const watcher = await startWatching(layer, sandbox);
  await subscribed(sandbox);
  for (const id of ids) await change(sandbox, 'customers', id, { city: 'Oslo' });
  await steer(sandbox, { fault: 'twice', deliver: 'now' });

  expect(await watcher.during(400, 3)).toHaveLength(3);
  await watcher.leave();
});

test('a record that is created and updated before it is reported is reported once, as CREATED', async ({
  layer,
  sandbox,
}) => {
  const watcher = await startWatching(layer, sandbox);
  await subscribed(sandbox);
  const id = await create(sandbox, 'customers', { displayName: 'New' });
  await change(sandbox, 'customers', id, { city: 'Oslo' });
  await steer(sandbox, { deliver: 'now' });

  expect(await watcher.during(300, 1)).toEqual([`CREATED ${id}`]);
  await watcher.leave();
});

test('a record that was created and deleted is reported as DELETED only', async ({ layer, sandbox }) => {
  const watcher = await startWatching(layer, sandbox);
  await subscribed(sandbox);
  const id = await create(sandbox, 'customers', { displayName: 'Short-lived' });
  await remove(sandbox, 'customers', id);
  await steer(sandbox, { fault: 'twice', deliver: 'now' });

  expect(await watcher.during(400, 1)).toEqual([`DELETED ${id}`]);
  await watcher.leave();
});

test('a change that the subscriber cannot read is not reported', async ({ layer, sandbox }) => {
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

test('a subscriber whose token may not read gets that error only, and other subscribers are not affected', async ({
  layer,
  sandbox,
}) => {
  const watcher = await startWatching(layer, sandbox);
  const told: Event[] = [];
  for await (const event of layer.watch(changed, { types: ['CUSTOMER'] }, 'denied-to-all')) told.push(event);
  await subscribed(sandbox);
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });
  await steer(sandbox, { deliver: 'now' });

  expect(told).toMatchObject([{ errors: [{ extensions: { code: 'FORBIDDEN' } }] }]);
  expect(JSON.stringify(told)).not.toContain(customerId);
  expect(await watcher.during(300, 1)).toEqual([`UPDATED ${customerId}`]);
  await watcher.leave();
});

test("a deletion is reported once the set can be read with the subscriber's token", async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, await webhookSettings(sandbox));
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
  await layer.stop();
});
