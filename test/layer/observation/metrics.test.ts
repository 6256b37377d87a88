import { expect } from 'vitest';
import type { TestLayer } from '../../support/layer.ts';
import { testDisturbed } from '../../support/proxies/disturbed.ts';

const test = testDisturbed({ ADMIN_PORT: '0' });

const names = '{ company { customers(first: 2) { nodes { displayName } } } }';
const business = { upstream: 'business' };
const calls = 'tributary_upstream_calls_total';
const operations = 'tributary_operations_total';

const asked = (layer: TestLayer, count: number, query = names) =>
  Promise.all(
    Array.from({ length: count }, (_, number) =>
      layer.query(query, {}, { authorization: `Bearer caller-of-metrics-${number}` }),
    ),
  );

test('a query is counted with its upstream calls, the keys they requested and their durations', async ({
  disturbed: layer,
}) => {
  await layer.query(
    '{ company { salesOrders(first: 3) { nodes { number billToCustomer { displayName } } } } }',
  );

  const { of } = await layer.metrics();
  expect(of(operations)).toBe(1);
  expect(of(operations, { kind: 'query', outcome: 'OK' })).toBe(1);
  expect(of(calls)).toBe(2);
  expect(of(calls, { ...business, kind: 'read', outcome: '2xx' })).toBe(2);
  expect(of('tributary_upstream_call_duration_seconds_count', { ...business, kind: 'read' })).toBe(2);
  expect(of('tributary_upstream_wait_seconds_count', business)).toBe(2);
  expect(of('tributary_upstream_read_keys_count', business)).toBe(1);
  expect(of('tributary_upstream_read_keys_sum', business)).toBe(3);
});

test('a pause is reported while a caller is throttled, and afterwards the number and duration of waits', async ({
  sandbox,
  disturbed: layer,
}) => {
  await sandbox.fault({ path: 'customers', status: 429, headers: { 'retry-after': '1' }, times: 1 });

  const answer = layer.query(names);
  await expect.poll(async () => (await layer.metrics()).of('tributary_upstream_paused_callers')).toBe(1);
  const waiting = layer.query('{ company { items(first: 1) { nodes { id } } } }');
  await expect.poll(async () => (await layer.metrics()).of('tributary_upstream_calls_waiting')).toBe(1);
  await Promise.all([answer, waiting]);

  const { of } = await layer.metrics();
  expect(of('tributary_upstream_throttled_total', business)).toBe(1);
  expect(of('tributary_upstream_paused_callers')).toBe(0);
  expect(of('tributary_upstream_calls_waiting')).toBe(0);
  expect(of('tributary_upstream_wait_seconds_count', business)).toBe(3);
});

test('an open circuit breaker is reported, with the calls that are not sent; other upstreams are not affected', async ({
  sandbox,
  disturbed: layer,
}) => {
  await sandbox.fault({ path: 'customers', status: 503, times: 1_000 });
  await asked(layer, 20);
  // On a slow machine the first one may be a trial.
  await layer.query(names);
  const { errors } = await layer.query(names);

  const { of } = await layer.metrics();
  expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE');
  expect(of('tributary_upstream_breaker_open', business)).toBe(1);
  expect(of('tributary_upstream_breaker_openings_total', business)).toBe(1);
  expect(
    of('tributary_upstream_held_back_total', { ...business, code: 'UPSTREAM_UNAVAILABLE' }),
  ).toBeGreaterThan(0);
});

test('rejections by the guard are counted by code, whatever the transport', async ({ disturbed: layer }) => {
  await layer.query('{ nothing }');
  await expect(layer.watchEvents(names, {})[Symbol.asyncIterator]().next()).rejects.toThrow();

  const { of } = await layer.metrics();
  expect(of('tributary_refusals_total', { code: 'GRAPHQL_VALIDATION_FAILED' })).toBe(1);
  expect(of('tributary_refusals_total')).toBe(2);
  expect(of(operations)).toBe(0);
});

test('open connections and subscriptions are reported for as long as they are open', async ({
  disturbed: layer,
}) => {
  const watched = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }';
  const watchers = [layer.watch(watched, {}), layer.watchEvents(watched, {})].map((events) =>
    events[Symbol.asyncIterator](),
  );
  const firsts = watchers.map((watcher) => watcher.next());
  const open = async () => {
    const { of } = await layer.metrics();
    return ['sockets', 'event_streams', 'subscriptions'].map((what) => of(`tributary_${what}`));
  };

  await Promise.all(firsts);
  await expect.poll(open).toEqual([1, 1, 2]);
  for (const watcher of watchers) await watcher.return?.();
  await expect.poll(open).toEqual([0, 0, 0]);
});

test('no id, token or name of a caller becomes a label', async ({ disturbed: layer }) => {
  await layer.query('query First { company { name } }');
  await layer.query('query First { nothing }');
  const labels = async () =>
    (await layer.metrics()).samples
      .filter(({ name }) => name.startsWith('tributary_'))
      .map(({ name, labels }) => JSON.stringify([name, labels]))
      .sort();
  const before = await labels();

  for (let number = 0; number < 10; number++) {
    await layer.query(`query Hostile_${number} { company { name } }`, {}, { 'x-request-id': `id-${number}` });
    await layer.query(`query Hostile_${number} { nothing_${number} }`);
  }

  expect(await labels()).toEqual(before);
});

test('a batch is counted with its parts, and the refused ones among them', async ({
  sandbox,
  disturbed: layer,
}) => {
  const lists = ['customers', 'items', 'employees', 'salesOrders', 'salesQuotes', 'currencies'];
  await sandbox.fault({ path: 'employees', part: true, status: 403, times: 1 });

  await layer.query(`{ company { ${lists.map((list) => `${list}(first: 1) { nodes { id } }`).join(' ')} } }`);

  const { of } = await layer.metrics();
  expect(of('tributary_upstream_batch_parts_count', { ...business, kind: 'read' })).toBe(1);
  expect(of('tributary_upstream_batch_parts_sum', { ...business, kind: 'read' })).toBe(6);
  expect(of('tributary_upstream_parts_refused_total', { ...business, outcome: '4xx' })).toBe(1);
  expect(of('tributary_operations_total', { kind: 'query', outcome: 'FORBIDDEN' })).toBe(1);
});
