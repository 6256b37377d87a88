import { expect, onTestFinished } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, test } from '../../support/layer.ts';

/**
 * A layer for one test. A layer remembers which expansions the upstream left out, and whether it keeps ids: what a fault
 * answers instead must not be learned for other tests.
 */
async function startOwnLayer(sandbox: { readonly url: string }) {
  const layer = await startTestLayer(sandbox.url);
  onTestFinished(() => layer.stop());
  return layer;
}

const create = `mutation ($input: CreateSalesOrderInput!) {
  createSalesOrder(input: $input) {
    salesOrder {
      id etag number status orderDate customerNumber externalDocumentNumber totalAmountExcludingTax
      documentLines { lineType lineNo itemNo quantity unitOfMeasureCode unitPrice item { number } }
    }
    userErrors { code message path upstream { code message } }
  }
}`;

test('fifty orders with customers and the item of every line take one upstream call', async ({
  layer,
  sandbox,
}) => {
  const { data, errors } = await layer.query(`{
    company {
      salesOrders(first: 50) {
        nodes { number customer { displayName } documentLines { lineType quantity item { displayName } } }
      }
    }
  }`);

  expect(errors).toBeUndefined();
  type Order = {
    customer: { displayName: string };
    documentLines: { lineType: string; item: object | null }[];
  };
  const orders: Order[] = data.company.salesOrders.nodes;
  expect(orders).toHaveLength(50);
  for (const order of orders) expect(order.customer.displayName).toMatch(/\w/);
  const lines = orders.flatMap((order) => order.documentLines);
  expect(lines.length).toBeGreaterThan(50);
  for (const line of lines) expect(line.item !== null).toBe(line.lineType === 'Item');
  expect(await sandbox.calls()).toHaveLength(1);
});

test('an order with two lines is created as a draft, in one upstream call', async ({ layer, sandbox }) => {
  const found = await layer.query(
    '{ company { customers(first: 1) { nodes { number } } items(first: 2) { nodes { number } } } }',
  );
  const customerNumber = found.data.company.customers.nodes[0].number;
  const [first, second] = found.data.company.items.nodes;
  await sandbox.forgetCalls();

  const { data, errors } = await layer.query(create, {
    input: {
      customerNumber,
      orderDate: '2026-03-01',
      externalDocumentNumber: 'PO-77',
      documentLines: [
        { lineType: 'Item', itemNo: first.number, quantity: 2 },
        { lineType: 'Item', itemNo: second.number, quantity: '1.5', unitPrice: '10.25' },
      ],
    },
  });

  expect(errors).toBeUndefined();
  const { salesOrder, userErrors } = data.createSalesOrder;
  expect(userErrors).toEqual([]);
  expect(salesOrder).toMatchObject({
    status: 'Draft',
    customerNumber,
    orderDate: '2026-03-01',
    externalDocumentNumber: 'PO-77',
  });
  expect(salesOrder.documentLines).toMatchObject([
    { lineType: 'Item', lineNo: 10000, itemNo: first.number, quantity: '2', item: { number: first.number } },
    { lineType: 'Item', lineNo: 20000, itemNo: second.number, quantity: '1.5', unitPrice: '10.25' },
  ]);
  const posts = (await sandbox.calls()).filter(({ method }) => method === 'POST');
  expect(posts).toHaveLength(1);
  expect(JSON.parse(posts[0]?.body ?? '')).toEqual({
    id: salesOrder.id,
    customerNumber,
    orderDate: '2026-03-01',
    externalDocumentNumber: 'PO-77',
    documentLines: [
      { lineType: 'Item', itemNo: first.number, quantity: 2 },
      { lineType: 'Item', itemNo: second.number, quantity: 1.5, unitPrice: 10.25 },
    ],
  });
  const read = await layer.query(
    'query ($id: UUID!) { company { salesOrder(id: $id) { number status } } }',
    salesOrder,
  );
  expect(read.data.company.salesOrder).toEqual({ number: salesOrder.number, status: 'Draft' });
});

test('an invalid upstream id never becomes part of a path or a filter', async ({ sandbox }) => {
  const layer = await startOwnLayer(sandbox);
  const id = '44444444-4444-4444-8444-444444444444';
  const body = { value: [{ id, number: 'S1', customerId: 'x)/../../../sandbox/journal?a=(' }] };
  await sandbox.fault({ path: '/salesOrders', status: 200, body });

  const { data, errors } = await layer.query(
    '{ company { salesOrders { nodes { number customer { id } } } } }',
  );

  expect(errors).toMatchObject([
    {
      path: ['company', 'salesOrders', 'nodes', 0, 'customer'],
      extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
    },
  ]);
  expect(data.company.salesOrders.nodes).toEqual([{ number: 'S1', customer: null }]);
  expect(await sandbox.calls()).toHaveLength(1);
});

test("an invalid id of a line's item is an error at the item", async ({ sandbox }) => {
  const layer = await startOwnLayer(sandbox);
  const id = '44444444-4444-4444-8444-444444444444';
  const salesOrderLines = [{ id, lineType: 'Item', itemId: 'x)/../../../sandbox/journal?a=(' }];
  await sandbox.fault({ path: '/salesOrders', status: 200, body: { value: [{ id, salesOrderLines }] } });

  const { data, errors } = await layer.query(
    '{ company { salesOrders { nodes { documentLines { itemId item { displayName } } } } } }',
  );

  expect(errors?.map(({ path, extensions }) => [path?.at(-1), extensions.code]).sort()).toEqual([
    ['item', 'UPSTREAM_BAD_RESPONSE'],
    ['itemId', 'UPSTREAM_BAD_RESPONSE'],
  ]);
  expect(data.company.salesOrders.nodes).toEqual([{ documentLines: [{ itemId: null, item: null }] }]);
  expect(await sandbox.calls()).toHaveLength(1);
});

const line = (id: string, more: object) => ({ id: `88888888-0000-4000-8000-00000000000${id}`, ...more });

test('lines find their items by id or by number, whatever quotes the number contains, and only lines of items do', async ({
  sandbox,
}) => {
  const layer = await startOwnLayer(sandbox);
  const id = sandboxExamples.itemId;
  const salesOrderLines = [
    line('1', { lineType: 'Item', itemNo: "o'b-1" }),
    line('2', { lineType: 'Item', itemNo: 'A', itemId: id }),
    line('3', { lineType: 'Resource', itemNo: 'r-1' }),
  ];
  const orders = { value: [{ id: line('9', {}).id, salesOrderLines }] };
  const items = { value: [{ id: line('8', {}).id, number: "o'b-1" }] };
  await sandbox.fault({ path: '/salesOrders', status: 200, body: orders });
  await sandbox.fault({ path: '/items?', status: 200, body: items });

  const { data, errors } = await layer.query(
    '{ company { salesOrders { nodes { documentLines { itemId item(version: V1) { id baseUnitOfMeasure { unitName } } } } } } }',
  );

  expect(errors).toBeUndefined();
  const [{ documentLines }] = data.company.salesOrders.nodes;
  expect(documentLines.map(({ item }: { item: { id: string } | null }) => item?.id)).toEqual([
    items.value[0]?.id,
    id,
    undefined,
  ]);
  const [, ...calls] = (await sandbox.calls()).map(({ path }) => path.replace(/.*\/api/, ''));
  expect(calls).toHaveLength(2);
  expect(calls.every((path) => path.startsWith('/v1.0/'))).toBe(true);
  expect(calls.join()).toContain("$filter=number%20eq%20'o''b-1'&");
});

const short = `mutation ($input: CreateSalesOrderInput!) {
  createSalesOrder(input: $input) { salesOrder { number documentLines { itemNo } } userErrors { code } }
}`;

test('where the response to a create has no lines the order is read again, and a failure of that read does not hide the order', async ({
  sandbox,
}) => {
  const layer = await startOwnLayer(sandbox);
  const id = line('9', {}).id;
  const answer = { method: 'POST', status: 201, body: { id, number: 'S-1' } };
  await sandbox.fault({ ...answer, times: 2 });
  const salesOrderLines = [line('1', { itemNo: '1000' })];
  await sandbox.fault({ path: id, status: 200, body: { id, number: 'S-1', salesOrderLines } });
  await sandbox.fault({ path: id, status: 503, body: {} });
  const input = { customerNumber: 'C10000' };

  const read = await layer.query(short, { input });
  const unread = await layer.query(short, { input });

  const made = (documentLines: object[] | null) => ({
    createSalesOrder: { salesOrder: { number: 'S-1', documentLines }, userErrors: [] },
  });
  expect(read.data).toEqual(made([{ itemNo: '1000' }]));
  expect(unread.data).toEqual(made(null));
  // Null alone would say that it has none.
  expect(unread.errors).toMatchObject([
    {
      path: ['createSalesOrder', 'salesOrder', 'documentLines'],
      extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
    },
  ]);
  expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['POST', 'GET', 'POST', 'GET']);
});

test('a create may take longer than a read', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { REQUEST_TIMEOUT_MS: '100', WRITE_TIMEOUT_MS: '5000' });
  await sandbox.fault({ method: 'POST', delayMs: 400 });

  const { data } = await layer.query(
    'mutation { createSalesOrder(input: { customerNumber: "C10000" }) { userErrors { code } } }',
  );
  await layer.stop();

  expect(data.createSalesOrder.userErrors).toEqual([]);
});

test('a create whose response has a part of the lines reads the order again', async ({ sandbox }) => {
  const layer = await startOwnLayer(sandbox);
  const order = { '@odata.etag': 'W/"1"', id: sandboxCompanyId, number: '1' };
  const lines = [{ itemNo: 'A' }, { itemNo: 'B' }];
  await sandbox.fault({
    method: 'POST',
    status: 201,
    body: { ...order, salesOrderLines: lines.slice(1), 'salesOrderLines@odata.nextLink': 'x?$skiptoken=1' },
  });
  await sandbox.fault({ method: 'GET', status: 200, body: { ...order, salesOrderLines: lines } });

  const { data, errors } = await layer.query(
    `mutation { createSalesOrder(input: { customerNumber: "1", documentLines: [{ lineType: "Item", itemNo: "A" }, { lineType: "Item", itemNo: "B" }] }) {
      salesOrder { documentLines { itemNo } } userErrors { code }
    } }`,
  );

  expect(errors).toBeUndefined();
  expect(data.createSalesOrder).toEqual({ salesOrder: { documentLines: lines }, userErrors: [] });
});
