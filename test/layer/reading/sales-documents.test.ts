import { expect, onTestFinished, test as plain } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import type { Json } from '../../support/json.ts';
import { startBeforeStub, startTestLayer, test } from '../../support/layer.ts';

test("a customer's quotes are those that name the customer, and match the filter", async ({
  layer,
  sandbox,
}) => {
  const { data: all } = await layer.query(
    '{ company { salesQuotes(first: 100) { nodes { id status customerId } } } }',
  );
  const draft = all.company.salesQuotes.nodes.find(({ status }: Json) => status === 'Draft');
  await sandbox.forgetCalls();

  const data = await layer.read(
    `query ($id: UUID!, $filter: SalesQuoteFilter) { company { customer(id: $id) {
      all: salesQuotes { totalCount nodes { id customer { id } } }
      open: salesQuotes(filter: $filter, orderBy: [DUE_DATE_DESC]) { nodes { id } }
    } } }`,
    { id: draft.customerId, filter: { or: [{ status: { eq: 'Draft' } }, { number: { eq: 'none' } }] } },
  );

  expect(data.company.customer).toEqual({
    all: { totalCount: 1, nodes: [{ id: draft.id, customer: { id: draft.customerId } }] },
    open: { nodes: [{ id: draft.id }] },
  });
  const [, ...lists] = await sandbox.calls();
  expect(lists.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('$filter'))).toEqual([
    `customerId eq ${draft.customerId}`,
    `customerId eq ${draft.customerId} and (status eq 'Draft' or number eq 'none')`,
  ]);
});

test("orders' invoices are found by the order's id, their shipments by its number: two lists for each in one batch", async ({
  layer,
  sandbox,
}) => {
  const shipped = 'salesOrders(first: 5, filter: { fullyShipped: { eq: true } })';
  const data = await layer.read(`{ company { ${shipped} { nodes {
    id
    salesInvoices { totalCount nodes { orderId orderNumber } }
    salesShipments(orderBy: [NUMBER_ASC]) { nodes { orderNumber } }
  } } } }`);
  const { salesOrders } = data.company;

  const [list, batch, ...others] = await sandbox.calls();
  const queries = (batch?.parts ?? []).map(({ path }) => new URLSearchParams(path.split('?')[1]));
  const { company } = await layer.read(`{ company { ${shipped} { nodes { id number } } } }`);
  const numberOf = (id: string) => company.salesOrders.nodes.find((order: Json) => order.id === id)?.number;
  // The number of each order was read, though it is not selected, to find its shipments by.
  expect(list?.path).toContain('$select=id,number');
  expect(others).toEqual([]);
  expect(salesOrders.nodes).toHaveLength(5);
  expect(queries.map((query) => query.get('$filter')).sort()).toEqual(
    salesOrders.nodes
      .flatMap(({ id }: Json) => [`orderId eq ${id}`, `orderNumber eq '${numberOf(id)}'`])
      .sort(),
  );
  for (const { id, salesInvoices, salesShipments } of salesOrders.nodes) {
    for (const invoice of salesInvoices.nodes)
      expect(invoice).toEqual({ orderId: id, orderNumber: numberOf(id) });
    expect(salesShipments.nodes).toEqual([{ orderNumber: numberOf(id) }]);
  }
  expect(salesOrders.nodes.some((order: Json) => order.salesInvoices.totalCount === 1)).toBe(true);
});

test('shipments are found by the number of their order as text, whatever it contains, and by no empty number', async ({
  layer,
  sandbox,
}) => {
  const orders = ["S' or 1 eq 1", ''].map((number, at) => ({
    id: `11111111-0000-4000-8000-00000000000${at}`,
    number,
  }));
  await sandbox.fault({ path: '/salesOrders', status: 200, body: { value: orders } });

  const data = await layer.read(
    '{ company { salesOrders { nodes { salesShipments { totalCount nodes { id } pageInfo { hasNextPage } } } } } }',
  );

  const none = { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false } };
  expect(data.company.salesOrders.nodes).toEqual(orders.map(() => ({ salesShipments: none })));
  const [, ...shipments] = await sandbox.calls();
  expect(shipments.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('$filter'))).toEqual([
    "orderNumber eq 'S'' or 1 eq 1'",
  ]);
});

/**
 * A layer for one test. A layer remembers which expansions the upstream left out, and whether it keeps ids: what a fault
 * answers instead must not be learned for other tests.
 */
async function startOwnLayer(sandbox: { readonly url: string }) {
  const layer = await startTestLayer(sandbox.url);
  onTestFinished(() => layer.stop());
  return layer;
}

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

  const data = await layer.read(
    '{ company { salesOrders { nodes { documentLines { itemId item(version: V1) { id baseUnitOfMeasure { unitName } } } } } } }',
  );

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

test('a create whose response has no lines, and whose order cannot be read again, shows the order', async ({
  sandbox,
}) => {
  const layer = await startOwnLayer(sandbox);
  const id = line('9', {}).id;
  const answer = { method: 'POST', status: 201, body: { id, number: 'S-1' } };
  await sandbox.fault(answer);
  await sandbox.fault({ path: id, status: 503, body: {} });

  const { data, errors } = await layer.query(short, { input: { customerNumber: 'C10000' } });

  expect(data.createSalesOrder).toEqual({
    salesOrder: { number: 'S-1', documentLines: null },
    userErrors: [],
  });
  // Null alone would say that it has none.
  expect(errors).toMatchObject([
    {
      path: ['createSalesOrder', 'salesOrder', 'documentLines'],
      extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
    },
  ]);
  expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['POST', 'GET']);
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

  const data = await layer.read(
    `mutation { createSalesOrder(input: { customerNumber: "1", documentLines: [{ lineType: "Item", itemNo: "A" }, { lineType: "Item", itemNo: "B" }] }) {
      salesOrder { documentLines { itemNo } } userErrors { code }
    } }`,
  );

  expect(data.createSalesOrder).toEqual({ salesOrder: { documentLines: lines }, userErrors: [] });
});

plain('in the dialect dynamics the number of a line never names an item', async () => {
  const line = {
    lineType: 'Item',
    lineObjectNumber: '1002',
    itemId: '00000000-0000-0000-0000-000000000000',
  };
  const { stub, layer } = await startBeforeStub(
    () => ({ body: { value: [{ id: sandboxCompanyId, salesOrderLines: [line] }] } }),
    { BUSINESS_DIALECT: 'dynamics' },
  );

  const { data } = await layer.query(
    '{ company { salesOrders { nodes { documentLines { lineType itemNo item { displayName } } } } } }',
  );

  expect(data.company.salesOrders.nodes[0].documentLines).toEqual([
    { lineType: 'Item', itemNo: '1002', item: null },
  ]);
  expect(stub.requests).toHaveLength(1);
});
