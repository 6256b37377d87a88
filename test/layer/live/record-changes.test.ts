import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { type Event, testWith } from '../../support/layer.ts';
import { change, isPoll, startWatching } from '../../support/webhooks.ts';

const test = testWith({}, { POLL_RECORDS_MS: '50' });

const { customerId, itemId } = sandboxExamples;

const watching = `subscription ($types: [RecordType!], $ids: [UUID!]) {
  recordChanged(types: $types, ids: $ids) { type id record { ... on Customer { city } } }
}`;

const isRead = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === 'GET' && !path.includes('lastModifiedDateTime');

test('a change is reported once, with the record as it is then', async ({ layer, sandbox }) => {
  const watcher = await startWatching(layer, sandbox, ['CUSTOMER']);

  await change(sandbox, 'customers', customerId, { city: 'Oslo' });
  const first = await watcher.next();
  await change(sandbox, 'customers', customerId, { city: 'Bergen' });
  const second = await watcher.next();
  await watcher.leave();

  expect(first.errors).toBeUndefined();
  expect(first.data.recordChanged).toMatchObject({
    type: 'CUSTOMER',
    change: 'CHANGED',
    companyId: sandboxCompanyId,
    id: customerId,
    record: { id: customerId, city: 'Oslo' },
  });
  expect(second.data.recordChanged.record.city).toBe('Bergen');
});

test('many changes at once are read together, whatever their types', async ({ layer, sandbox }) => {
  const { data } = await layer.query('{ company { customers(first: 20) { nodes { id } } } }');
  const ids = data.company.customers.nodes.map(({ id }: { id: string }) => id);
  const watcher = await startWatching(layer, sandbox, ['CUSTOMER', 'ITEM']);

  await Promise.all(ids.map((id: string) => change(sandbox, 'customers', id, { city: 'Oslo' })));
  await change(sandbox, 'items', itemId, { unitPrice: 7 });
  const told = new Map<string, unknown>();
  while (told.size < 21) {
    const { data: event } = await watcher.next();
    told.set(event.recordChanged.id, event.recordChanged.record);
  }
  await watcher.leave();

  expect(told.get(itemId)).toMatchObject({ id: itemId, unitPrice: '7' });
  for (const id of ids) expect(told.get(id)).toMatchObject({ id, city: 'Oslo' });
  const reads = (await sandbox.calls()).filter(isRead);
  expect(reads.length).toBeLessThanOrEqual(8);
});

test('subscribers with the same token share their polls, those with different tokens do not, and no poll remains after they leave', async ({
  layer,
  sandbox,
}) => {
  // Whoever begins to poll asks for the latest change first.
  const begun = async () => (await sandbox.calls()).filter(({ path }) => path.includes('$orderby')).length;
  const one = await startWatching(layer, sandbox, ['EMPLOYEE']);
  expect(await begun()).toBe(1);
  const other = await startWatching(layer, sandbox, ['EMPLOYEE']);
  expect(await begun()).toBe(1);
  const stranger = await startWatching(layer, sandbox, ['EMPLOYEE'], 'stranger');
  await expect.poll(begun).toBe(2);

  await Promise.all([one.leave(), other.leave(), stranger.leave()]);
  while ((await sandbox.calls()).length > 0) {
    await sandbox.forgetCalls();
    await sleep(200);
  }
});

test('where one type may not be read the stream ends with FORBIDDEN, and the polling stops', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'GET', path: '/employees', status: 403, times: 10, body: {} });
  const told: Event[] = [];
  for await (const event of layer.watch(watching, { types: ['CUSTOMER', 'EMPLOYEE', 'ITEM'] }))
    told.push(event);
  await sleep(200);
  await sandbox.forgetCalls();
  await sleep(300);

  expect(told).toMatchObject([{ errors: [{ extensions: { code: 'FORBIDDEN' } }] }]);
  expect(await sandbox.calls()).toEqual([]);
});

test('with `ids` only changes of these records are reported, and no other record is read', async ({
  layer,
  sandbox,
}) => {
  const { data } = await layer.query('{ company { customers(first: 20) { nodes { id } } } }');
  const others = data.company.customers.nodes
    .map(({ id }: { id: string }) => id)
    .filter((id: string) => id !== customerId);
  const ids = [customerId.toUpperCase(), itemId];
  await sandbox.forgetCalls();
  const events = layer.watch(watching, { types: ['CUSTOMER', 'ITEM'], ids })[Symbol.asyncIterator]();
  const coming = events.next();
  await expect.poll(async () => (await sandbox.calls()).filter(isPoll).length).toBeGreaterThanOrEqual(2);
  const start = (await sandbox.calls()).length;

  for (const id of others) await change(sandbox, 'customers', id, { city: 'Oslo' });
  await change(sandbox, 'customers', customerId, { city: 'Bergen' });
  const { value: first } = await coming;
  await change(sandbox, 'items', itemId, { unitPrice: 7 });
  const { value: second } = await events.next();
  await events.return?.();

  expect(first.data.recordChanged).toMatchObject({ id: customerId, record: { city: 'Bergen' } });
  expect(second.data.recordChanged).toMatchObject({ type: 'ITEM', id: itemId });
  const reads = (await sandbox.calls()).slice(start).filter(isRead);
  expect(reads).toHaveLength(2);
  for (const { path } of reads) for (const id of others) expect(path).not.toContain(id);
});

test.for([
  ['no types', { types: [] }, 'canary-token-of-another', 'BAD_USER_INPUT', 0],
  ['no ids', { types: ['CUSTOMER'], ids: [] }, 'canary-token-of-another', 'BAD_USER_INPUT', 0],
  [
    '101 ids',
    { ids: Array.from({ length: 101 }, () => customerId) },
    'canary-token-of-another',
    'BAD_USER_INPUT',
    0,
  ],
  ['a token that the upstream rejects', { types: ['CUSTOMER'] }, 'expired-token', 'UNAUTHENTICATED', 1],
] as const)(
  'with %s the stream ends with an error at once',
  async ([_what, variables, token, code, calls], { layer, sandbox }) => {
    const told: Event[] = [];
    for await (const event of layer.watch(watching, variables, token)) told.push(event);

    expect(told).toMatchObject([{ errors: [{ extensions: { code } }] }]);
    // A subscription of the test before may still have its last poll under way.
    const mark = `Bearer sha256:${hash('sha256', token, 'hex').slice(0, 12)}`;
    const sent = (await sandbox.calls()).filter(({ headers }) => headers.authorization === mark);
    expect(sent).toHaveLength(calls);
  },
);
