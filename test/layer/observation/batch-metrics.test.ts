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
