import { expect } from 'vitest';
import { test } from '../support/layer.ts';

const create = `mutation ($input: CreateSalesOrderInput!) {
  createSalesOrder(input: $input) {
    salesOrder {
      id etag number status orderDate customerNumber externalDocumentNumber totalAmountExcludingTax
      documentLines { lineType lineNo itemNo quantity unitOfMeasureCode unitPrice item { number } }
    }
    userErrors { code message path upstream { code message } }
  }
}`;

test('fifty orders with customers and the item of every line take three upstream calls', async ({
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
  const orders = data.company.salesOrders.nodes;
  expect(orders).toHaveLength(50);
  for (const order of orders) expect(order.customer.displayName).toMatch(/\w/);
  // biome-ignore lint/suspicious/noExplicitAny: see Answer
  const lines = orders.flatMap((order: any) => order.documentLines);
  expect(lines.length).toBeGreaterThan(50);
  for (const line of lines) expect(line.item !== null).toBe(line.lineType === 'ITEM');
  expect(await sandbox.calls()).toHaveLength(3);
});

test('only the columns of the selection are asked for', async ({ layer, sandbox }) => {
  await layer.query(
    '{ company { salesOrders(first: 1) { nodes { number customer { city } documentLines { quantity } } } } }',
  );

  const [orders, customers] = (await sandbox.calls()).map(
    ({ path }) => new URLSearchParams(path.split('?')[1]),
  );
  expect(orders?.get('$select')).toBe('id,number,customerId');
  expect(orders?.get('$expand')).toBe('salesOrderLines($select=quantity)');
  expect(customers?.get('$select')).toBe('id,city');
});

test('a customer that orders again and again is read once', async ({ layer, sandbox }) => {
  const { data } = await layer.query(`{
    company { salesOrders(first: 200) { nodes { customerId customer { id } billToCustomer { id } } } }
  }`);

  const orders: { customerId: string }[] = data.company.salesOrders.nodes;
  const filters = (await sandbox.calls())
    .slice(1)
    .map(({ path }) => path.match(/id%20eq%20[0-9a-f-]{36}/g) ?? []);
  const asked = filters.flat();
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked.length).toBeGreaterThanOrEqual(new Set(orders.map((order) => order.customerId)).size);
});

test('an order by id comes whole, and one that is not there is null', async ({ layer, sandbox }) => {
  const list = await layer.query('{ company { salesOrders(first: 1) { nodes { id number } } } }');
  const { id, number } = list.data.company.salesOrders.nodes[0];
  await sandbox.forgetCalls();

  const { data, errors } = await layer.query(
    `query ($id: UUID!, $missing: UUID!) {
      company { there: salesOrder(id: $id) { number companyId company { id } } }
      again: company { missing: salesOrder(id: $missing) { number } }
    }`,
    { id, missing: '99999999-0000-4000-8000-000000000000' },
  );

  expect(errors).toBeUndefined();
  expect(data.company.there).toMatchObject({ number });
  expect(data.company.there.company.id).toBe(data.company.there.companyId);
  expect(data.again.missing).toBeNull();
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
        { itemNo: first.number, quantity: 2 },
        { lineType: 'ITEM', itemNo: second.number, quantity: '1.5', unitPrice: '10.25' },
      ],
    },
  });

  expect(errors).toBeUndefined();
  const { salesOrder, userErrors } = data.createSalesOrder;
  expect(userErrors).toEqual([]);
  expect(salesOrder).toMatchObject({
    status: 'DRAFT',
    customerNumber,
    orderDate: '2026-03-01',
    externalDocumentNumber: 'PO-77',
  });
  expect(salesOrder.documentLines).toMatchObject([
    { lineType: 'ITEM', lineNo: 10000, itemNo: first.number, quantity: '2', item: { number: first.number } },
    { lineType: 'ITEM', lineNo: 20000, itemNo: second.number, quantity: '1.5', unitPrice: '10.25' },
  ]);
  const posts = (await sandbox.calls()).filter(({ method }) => method === 'POST');
  expect(posts).toHaveLength(1);
  expect(JSON.parse(posts[0]?.body ?? '')).toEqual({
    customerNumber,
    orderDate: '2026-03-01',
    externalDocumentNumber: 'PO-77',
    documentLines: [
      { itemNo: first.number, quantity: 2 },
      { lineType: 'Item', itemNo: second.number, quantity: 1.5, unitPrice: 10.25 },
    ],
  });
  const read = await layer.query(
    'query ($id: UUID!) { company { salesOrder(id: $id) { number status } } }',
    salesOrder,
  );
  expect(read.data.company.salesOrder).toEqual({ number: salesOrder.number, status: 'DRAFT' });
});

test('digits given in a create are the digits sent', async ({ layer, sandbox }) => {
  await layer.query(create, {
    input: {
      customerNumber: 'C10000',
      documentLines: [{ itemNo: '1000', unitPrice: '1234567890123456.789' }],
    },
  });

  expect((await sandbox.calls())[0]?.body).toContain('"unitPrice":1234567890123456.789');
});

test('an order without a customer is refused in the words of the upstream', async ({ layer }) => {
  const { data } = await layer.query(create, { input: { orderDate: '2026-03-01' } });

  expect(data.createSalesOrder.salesOrder).toBeNull();
  expect(data.createSalesOrder.userErrors).toMatchObject([
    { code: 'INVALID_INPUT', upstream: { message: expect.stringContaining('customerNumber') } },
  ]);
});

test('an order id that is taken is refused as ALREADY_EXISTS', async ({ layer }) => {
  const list = await layer.query('{ company { salesOrders(first: 1) { nodes { id customerNumber } } } }');

  const { data } = await layer.query(create, { input: list.data.company.salesOrders.nodes[0] });

  expect(data.createSalesOrder.userErrors).toMatchObject([{ code: 'ALREADY_EXISTS' }]);
});

test('a line of an unrecognised type is refused before anything is sent', async ({ layer, sandbox }) => {
  const { data } = await layer.query(create, {
    input: { customerNumber: 'C10000', documentLines: [{ itemNo: '1000' }, { lineType: 'UNRECOGNIZED' }] },
  });

  expect(data.createSalesOrder.userErrors).toMatchObject([
    { code: 'INVALID_INPUT', path: ['input', 'documentLines', '1', 'lineType'] },
  ]);
  expect(await sandbox.calls()).toEqual([]);
});

test('a create whose answer is lost is sent once and reported as unknown', async ({ layer, sandbox }) => {
  await sandbox.fault({ method: 'POST', reset: 'after' });

  const { data, errors } = await layer.query(create, {
    input: { customerNumber: 'C10000', orderDate: '2031-01-02' },
  });

  expect(errors).toBeUndefined();
  expect(data.createSalesOrder.salesOrder).toBeNull();
  expect(data.createSalesOrder.userErrors).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }]);
  expect((await sandbox.calls()).filter(({ method }) => method === 'POST')).toHaveLength(1);
  const list = await layer.query(
    '{ company { salesOrders(first: 1000) { nodes { customerNumber orderDate } } } }',
  );
  const made = list.data.company.salesOrders.nodes.filter(
    ({ orderDate }: { orderDate: string }) => orderDate === '2031-01-02',
  );
  expect(made).toHaveLength(1);
});

test('what an upstream puts where an id belongs never becomes part of a path or a filter', async ({
  layer,
  sandbox,
}) => {
  const id = '44444444-4444-4444-8444-444444444444';
  const body = { value: [{ id, number: 'S1', customerId: 'x)/../../../sandbox/journal?a=(' }] };
  await sandbox.fault({ path: '/salesOrders', status: 200, body });

  const { data, errors } = await layer.query(
    '{ company { salesOrders { nodes { number customer { id } } } } }',
  );

  expect(errors).toBeUndefined();
  expect(data.company.salesOrders.nodes).toEqual([{ number: 'S1', customer: null }]);
  expect(await sandbox.calls()).toHaveLength(1);
});
