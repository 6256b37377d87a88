import { expect } from 'vitest';
import { testDisturbed } from '../../support/proxies/disturbed.ts';

const test = testDisturbed({ ADMIN_PORT: '0' });

const business = { upstream: 'business' };

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

test('the keys that the parts of a batch look up are counted', async ({ disturbed: layer }) => {
  const records = ['customer', 'item', 'employee', 'salesOrder', 'salesQuote'];
  const absent = '00000000-0000-4000-8000-000000000000';

  await layer.query(
    `{ company { ${records.map((record) => `${record}(id: "${absent}") { id }`).join(' ')} } }`,
  );

  const { of } = await layer.metrics();
  expect(of('tributary_upstream_batch_parts_sum', { ...business, kind: 'read' })).toBe(5);
  expect(of('tributary_upstream_read_keys_count', business)).toBe(5);
  expect(of('tributary_upstream_read_keys_sum', business)).toBe(5);
});
