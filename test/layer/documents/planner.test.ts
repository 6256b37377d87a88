import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

/** How many calls reached the upstream, and how many reads were in them. */
async function costOf(sandbox: TestSandbox) {
  const calls = await sandbox.calls();
  const parts = calls.reduce((sum, call) => sum + (call.parts?.length ?? 1), 0);
  return { calls: calls.length, parts };
}

describe('the calls for', () => {
  let sandbox: TestSandbox;
  let layer: TestLayer;

  beforeAll(async () => {
    sandbox = await startTestSandbox({
      records: { customers: 1000, salesOrders: 1000, items: 500 },
    });
  });
  // A layer for each test: what calls it makes depends on what it has learnt of the upstream.
  beforeEach(async () => {
    layer = await startTestLayer(sandbox.url);
    await sandbox.forgetCalls();
  });
  afterEach(() => layer.stop());
  afterAll(() => sandbox.stop());

  test('1,000 orders with customers, lines, items and categories are one, and one more with what only v1.0 has', async () => {
    const ordersWith = (category: string) => `{ company { salesOrders(first: 1000) { nodes {
      number customer { displayName } documentLines { quantity item { displayName ${category} } }
    } } } }`;
    await layer.read(ordersWith('category { code displayName }'));
    expect(await costOf(sandbox)).toEqual({ calls: 1, parts: 1 });
    await sandbox.forgetCalls();

    const data = await layer.read(ordersWith('itemCategory { code description }'));

    const orders = data.company.salesOrders.nodes;
    const items = orders.flatMap((order: typeof data) =>
      order.documentLines.map((line: typeof data) => line.item),
    );
    expect(orders).toHaveLength(1000);
    expect(new Set(orders.map((order: typeof data) => order.customer.displayName)).size).toBeGreaterThan(100);
    expect(
      new Set(items.filter(Boolean).map((item: typeof data) => item.itemCategory?.description)).size,
    ).toBeGreaterThan(3);
    // The orders with all that comes with them; the other shape of the items, by 148 keys at most.
    const { calls, parts } = await costOf(sandbox);
    expect(calls).toBe(2);
    expect(parts).toBeLessThanOrEqual(5);
  });

  test('a customer reached by three paths are one for the customer', async () => {
    const [order] = (
      await layer.read('{ company { salesOrders(first: 1) { nodes { id customerId billToCustomerId } } } }')
    ).company.salesOrders.nodes;
    expect(order.billToCustomerId).toBe(order.customerId);
    await sandbox.forgetCalls();

    const data = await layer.read(
      `query ($order: UUID!, $customer: UUID!) { company {
        customer(id: $customer) { displayName }
        salesOrder(id: $order) { customer { number } billToCustomer { city } }
      } }`,
      { order: order.id, customer: order.customerId },
    );

    expect(data.company.salesOrder.customer.number).toMatch(/^C/);
    const paths = (await sandbox.calls()).map(({ path }) => path);
    expect(paths.filter((path) => path.includes('/customers'))).toHaveLength(1);
    expect(paths).toHaveLength(2);
  });

  test('300 customers by id are one', async () => {
    const { company } = await layer.read('{ company { id customers(first: 300) { nodes { id } } } }');
    await sandbox.forgetCalls();

    const data = await layer.read(
      'query ($all: [_Any!]!) { _entities(representations: $all) { ... on Customer { number } } }',
      {
        all: company.customers.nodes.map(({ id }: { id: string }) => ({
          __typename: 'Customer',
          companyId: company.id,
          id,
        })),
      },
    );

    expect(new Set(data._entities.map(({ number }: { number: string }) => number)).size).toBe(300);
    expect(await costOf(sandbox)).toEqual({ calls: 1, parts: 3 });
  });

  test('1,000 customers with their own first five orders are eleven', async () => {
    const data = await layer.read(`{ company { customers(first: 1000) { nodes {
      id salesOrders(first: 5) { nodes { number customerId } pageInfo { hasNextPage } }
    } } } }`);

    const customers = data.company.customers.nodes;
    expect(customers).toHaveLength(1000);
    for (const { id, salesOrders } of customers) {
      expect(salesOrders.nodes.length).toBeLessThanOrEqual(5);
      for (const order of salesOrders.nodes) expect(order.customerId).toBe(id);
    }
    expect(await costOf(sandbox)).toEqual({ calls: 11, parts: 1001 });
  });

  test('four different reads run side by side, a fifth turns them into one batch', async () => {
    const lists = ['customers', 'items', 'salesOrders', 'employees', 'salesQuotes'].map(
      (name) => `${name}(first: 1) { nodes { id } }`,
    );

    await layer.read(`{ company { ${lists.slice(0, 4).join(' ')} } }`);
    expect(await costOf(sandbox)).toEqual({ calls: 4, parts: 4 });
    await sandbox.forgetCalls();

    const data = await layer.read(`{ company { ${lists.join(' ')} } }`);
    expect(Object.values(data.company).every((list) => (list as typeof data).nodes.length === 1)).toBe(true);
    const [batch, ...others] = await sandbox.calls();
    expect(others).toEqual([]);
    expect(batch).toMatchObject({ method: 'POST', path: '/api/v2.0/$batch' });
    expect(batch?.headers.prefer).toBe('odata.continue-on-error');
    expect(batch?.parts?.map(({ method, status }) => [method, status])).toEqual(Array(5).fill(['GET', 200]));
  });
});
