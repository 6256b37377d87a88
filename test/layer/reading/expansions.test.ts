import { expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { startTestLayer, test } from '../../support/layer.ts';
import { endWithTest } from '../../support/runner/end-with-test.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

async function callsOf(sandbox: TestSandbox) {
  const paths = (await sandbox.calls()).map(({ path }) => decodeURIComponent(path));
  await sandbox.forgetCalls();
  return paths;
}

test('each place of a document asks for its own columns', async ({ layer, sandbox }) => {
  await layer.query(`{ company {
    salesOrders(first: 2) { nodes { customer { city } } }
    salesQuotes(first: 2) { nodes { customer { phoneNumber website } } }
    customers(first: 2) { nodes { email } }
  } }`);

  expect((await callsOf(sandbox)).map((path) => path.replace(/.*\)\//, '')).sort()).toEqual([
    'customers?$select=id,email',
    'salesOrders?$select=id,customerId&$expand=customer($select=id,city)',
    'salesQuotes?$select=id,customerId&$expand=customer($select=id,phoneNumber,website)',
  ]);
});

test('explain tells of every relation whether it was expanded or loaded', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url);
  endWithTest(layer.stop);
  await sandbox.fault({ path: 'customer(', status: 501 });
  const answer = await layer.query(
    `{ company { salesOrders(first: 9) { nodes {
      customer { city } billToCustomer { id } documentLines { item { number } }
    } } } }`,
    {},
    { 'tributary-explain': '1' },
  );

  const [refused, orders, customers] = (answer.extensions as Json).upstream;
  expect(refused.relations).toEqual([
    { path: 'salesOrders/customer', plan: 'EXPANDED' },
    { path: 'salesOrders/salesOrderLines', plan: 'EXPANDED' },
    { path: 'salesOrders/salesOrderLines/item', plan: 'EXPANDED' },
  ]);
  expect(orders.relations).toEqual([
    { path: 'salesOrders/salesOrderLines', plan: 'EXPANDED' },
    { path: 'salesOrders/salesOrderLines/item', plan: 'LOADED' },
    { path: 'salesOrders/customer', plan: 'LOADED' },
  ]);
  expect(orders).toMatchObject({ rows: 9, bytes: expect.any(Number) });
  expect(orders.bytes).toBeGreaterThan(1000);
  expect(customers.keys).toBe(customers.rows);
});
