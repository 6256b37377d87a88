import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { type Event, startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';
import { startStub } from '../../support/stub.ts';

const test = testWith({}, { POLL_RECORDS_MS: '50' });

const { customerId, itemId } = sandboxExamples;

const changed = `subscription ($types: [RecordType!], $ids: [UUID!]) {
  recordChanged(types: $types, ids: $ids) {
    type change companyId id lastModifiedDateTime
    record { ... on Customer { id city } ... on Item { id unitPrice } ... on SalesDocument { number } ... on SalesOrder { documentLines { itemNo } } }
  }
}`;

const address = (set: string, id: string) => `/api/v2.0/companies(${sandboxCompanyId})/${set}(${id})`;

const change = (sandbox: TestSandbox, set: string, id: string, body: object) =>
  sandbox.send('PATCH', address(set, id), body, { 'if-match': '*' });

const isPoll = ({ path }: { readonly path: string }) => path.includes('lastModifiedDateTime%20ge');

const otherToken = 'canary-token-of-another';

/** What was sent for this caller alone: a subscription of the test before may still have its last poll under way. */
const callsWithOtherToken = async (sandbox: TestSandbox) => {
  const digest = hash('sha256', otherToken, 'hex').slice(0, 12);
  return (await sandbox.calls()).filter(({ headers }) => headers.authorization === `Bearer sha256:${digest}`);
};

/** A watcher that looks already: what changes from now on is told. */
async function startWatching(
  layer: TestLayer,
  sandbox: TestSandbox,
  types: readonly string[],
  watch: TestLayer['watch'] = layer.watch,
  ids?: readonly string[],
) {
  await sandbox.forgetCalls();
  const events = watch(changed, { types, ids })[Symbol.asyncIterator]();
  const first = events.next();
  while ((await sandbox.calls()).filter(isPoll).length < types.length) await new Promise(setImmediate);
  return {
    next: (() => {
      let pending: Promise<IteratorResult<Event>> | null = first;
      return async (): Promise<Event> => {
        const result = await (pending ?? events.next());
        pending = null;
        return result.value;
      };
    })(),
    leave: () => events.return?.(),
  };
}

test.for(['watch', 'watchEvents'] as const)(
  'a change is reported once, with the record as it is then, over %s',
  async (how, { layer, sandbox }) => {
    const watcher = await startWatching(layer, sandbox, ['CUSTOMER'], layer[how]);

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
  },
);

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

  expect(told.get(itemId)).toEqual({ id: itemId, unitPrice: '7' });
  for (const id of ids) expect(told.get(id)).toEqual({ id, city: 'Oslo' });
  const reads = (await sandbox.calls()).filter(
    ({ method, path }) => method === 'GET' && !path.includes('lastModifiedDateTime'),
  );
  expect(reads.length).toBeLessThanOrEqual(8);
});

test('a changed order has what a fragment on SalesDocument selects', async ({ layer, sandbox }) => {
  const { data } = await layer.query('{ company { salesOrders(first: 1) { nodes { id number } } } }');
  const [{ id, number }] = data.company.salesOrders.nodes;
  const watcher = await startWatching(layer, sandbox, ['SALES_ORDER']);

  await change(sandbox, 'salesOrders', id, { externalDocumentNumber: 'CHANGED' });
  const { data: event } = await watcher.next();
  await watcher.leave();

  expect(event.recordChanged).toMatchObject({ id, record: { number, documentLines: expect.any(Array) } });
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
  expect(await begun()).toBe(0);
  const stranger = await startWatching(layer, sandbox, ['EMPLOYEE'], (query, variables) =>
    layer.watch(query, variables, 'stranger'),
  );
  await expect.poll(begun).toBe(1);

  await Promise.all([one.leave(), other.leave(), stranger.leave()]);
  while ((await sandbox.calls()).length > 0) {
    await sandbox.forgetCalls();
    await sleep(200);
  }
});

test('a token that the upstream rejects ends the stream with UNAUTHENTICATED', async ({ layer }) => {
  const told: Event[] = [];
  for await (const event of layer.watch(changed, { types: ['CUSTOMER'] }, 'expired-token')) told.push(event);

  expect(told).toMatchObject([
    { errors: [{ extensions: { code: 'UNAUTHENTICATED', upstream: 'business' } }] },
  ]);
});

test('a failure of the upstream does not end the subscription: changes made during it are reported afterwards', async ({
  layer,
  sandbox,
}) => {
  const watcher = await startWatching(layer, sandbox, ['CUSTOMER']);
  await sandbox.fault({ method: 'GET', path: 'customers', status: 503, times: 3, body: {} });

  await change(sandbox, 'customers', customerId, { city: 'Narvik' });
  const { data, errors } = await watcher.next();
  await watcher.leave();

  expect(errors).toBeUndefined();
  expect(data.recordChanged.record.city).toBe('Narvik');
});

test('where one type may not be read the stream ends with FORBIDDEN, and the polling stops', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'GET', path: '/employees', status: 403, times: 10, body: {} });
  const told: Event[] = [];
  for await (const event of layer.watch(changed, { types: ['CUSTOMER', 'EMPLOYEE', 'ITEM'] }))
    told.push(event);
  await sleep(200);
  await sandbox.forgetCalls();
  await sleep(300);

  expect(told).toMatchObject([{ errors: [{ extensions: { code: 'FORBIDDEN' } }] }]);
  expect(await sandbox.calls()).toEqual([]);
});

describe('with `ids`', () => {
  test('only changes of these records are reported, and no other record is read', async ({
    layer,
    sandbox,
  }) => {
    const { data } = await layer.query('{ company { customers(first: 20) { nodes { id } } } }');
    const others = data.company.customers.nodes
      .map(({ id }: { id: string }) => id)
      .filter((id: string) => id !== customerId);
    const ids = [customerId.toUpperCase(), itemId];
    const watcher = await startWatching(layer, sandbox, ['CUSTOMER', 'ITEM'], layer.watch, ids);
    const start = (await sandbox.calls()).length;

    for (const id of others) await change(sandbox, 'customers', id, { city: 'Oslo' });
    await change(sandbox, 'customers', customerId, { city: 'Bergen' });
    const first = await watcher.next();
    await change(sandbox, 'items', itemId, { unitPrice: 7 });
    const second = await watcher.next();
    await watcher.leave();

    expect(first.data.recordChanged).toMatchObject({ id: customerId, record: { city: 'Bergen' } });
    expect(second.data.recordChanged).toMatchObject({ type: 'ITEM', id: itemId });
    const reads = (await sandbox.calls())
      .slice(start)
      .filter(({ method, path }) => method === 'GET' && !path.includes('lastModifiedDateTime'));
    expect(reads).toHaveLength(2);
    for (const { path } of reads) for (const id of others) expect(path).not.toContain(id);
  });

  test('subscribers of different ids and of none share their polls', async ({ layer, sandbox }) => {
    const begun = async () => (await sandbox.calls()).filter(({ path }) => path.includes('$orderby')).length;
    const one = await startWatching(layer, sandbox, ['ITEM'], layer.watch, [itemId]);
    expect(await begun()).toBe(1);
    const other = await startWatching(layer, sandbox, ['ITEM'], layer.watch, [customerId]);
    const all = await startWatching(layer, sandbox, ['ITEM']);
    expect(await begun()).toBe(0);

    await change(sandbox, 'items', itemId, { unitPrice: 7 });

    for (const { data } of await Promise.all([one.next(), all.next()]))
      expect(data.recordChanged.id).toBe(itemId);
    await Promise.all([one.leave(), other.leave(), all.leave()]);
  });

  test.for([
    ['none', []],
    ['101', Array.from({ length: 101 }, () => randomUUID())],
    ['101 copies of one', Array.from({ length: 101 }, () => customerId)],
  ] as const)('%s is BAD_USER_INPUT, and nothing is sent', async ([, ids], { layer, sandbox }) => {
    const told: Event[] = [];
    for await (const event of layer.watch(changed, { types: ['CUSTOMER'], ids }, otherToken))
      told.push(event);

    expect(told).toMatchObject([
      { errors: [{ message: expect.stringContaining('`ids`'), extensions: { code: 'BAD_USER_INPUT' } }] },
    ]);
    expect(await callsWithOtherToken(sandbox)).toEqual([]);
  });
});

test('no types are BAD_USER_INPUT, and nothing is sent', async ({ layer, sandbox }) => {
  const told: Event[] = [];
  for await (const event of layer.watch(changed, { types: [] }, otherToken)) told.push(event);

  expect(told).toMatchObject([
    { errors: [{ message: expect.stringContaining('`types`'), extensions: { code: 'BAD_USER_INPUT' } }] },
  ]);
  expect(await callsWithOtherToken(sandbox)).toEqual([]);
});

test("a record stamped ahead of the upstream's clock, which may be an hour behind, hides no later change", async () => {
  const clock = () => Date.now() - 3_600_000;
  const id = (n: number) => `5d115c9c-44e3-4a11-bb43-00000000000${n}`;
  const stamps = new Map([
    [id(1), clock() - 60_000],
    [id(2), clock() + 70_000],
  ]);
  const stub = await startStub(({ target }) => {
    const query = decodeURIComponent(target);
    const since = /DateTime ge (\S+Z)/.exec(query)?.[1];
    const rows = [...stamps]
      .filter(([key, at]) =>
        since ? at >= Date.parse(since) : !query.includes('id eq') || query.includes(key),
      )
      .sort(([, one], [, other]) => other - one)
      .map(([key, at]) => ({
        id: key,
        number: key.slice(-1),
        lastModifiedDateTime: new Date(at).toISOString(),
      }));
    const read = /customers\(([^)]+)\)/.exec(query)?.[1];
    const body = read ? rows.find((row) => row.id === read) : { value: rows };
    return { headers: { date: new Date(clock()).toUTCString() }, body };
  });
  const layer = await startTestLayer(stub.url, { POLL_RECORDS_MS: '50' });
  const polls = () => stub.requests.filter(({ target }) => target.includes('DateTime%20ge')).length;
  const events = layer
    .watch('subscription { recordChanged(types: [CUSTOMER]) { id change } }', {})
    [Symbol.asyncIterator]();
  onTestFinished(async () => {
    await events.return?.();
    await layer.stop();
    stub.stop();
  });
  const first = events.next();
  await expect.poll(polls).toBeGreaterThan(2);

  stamps.set(id(1), clock());

  expect((await first).value.data.recordChanged).toEqual({ id: id(1), change: 'CHANGED' });
});
