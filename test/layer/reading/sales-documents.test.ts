import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import type { Json } from '../../support/json.ts';
import { type TestLayer, test, testWith } from '../../support/layer.ts';

async function ofCompany(layer: TestLayer, selection: string): Promise<Json> {
  const { data, errors } = await layer.query(`{ company { ${selection} } }`);
  expect(errors).toBeUndefined();
  return data.company;
}

test("a customer's quotes are those that name the customer, and match the filter", async ({
  layer,
  sandbox,
}) => {
  const { salesQuotes } = await ofCompany(
    layer,
    'salesQuotes(first: 100) { nodes { id status customerId } }',
  );
  const all: Json[] = salesQuotes.nodes;
  const draft = all.find(({ status }) => status === 'Draft');
  const sent = all.find(({ status }) => status === 'Sent');
  await sandbox.forgetCalls();

  const { data, errors } = await layer.query(
    `query ($draft: UUID!, $sent: UUID!, $filter: SalesQuoteFilter) { company {
      draft: customer(id: $draft) { ...own } sent: customer(id: $sent) { ...own }
    } }
    fragment own on Customer {
      salesQuotes { totalCount nodes { id customer { id } } }
      open: salesQuotes(filter: $filter, orderBy: [DUE_DATE_DESC]) { nodes { id } }
    }`,
    {
      draft: draft.customerId,
      sent: sent.customerId,
      filter: { or: [{ status: { eq: 'Draft' } }, { number: { eq: 'none' } }] },
    },
  );

  expect(errors).toBeUndefined();
  const listOf = ({ id, customerId }: Json) => ({
    totalCount: 1,
    nodes: [{ id, customer: { id: customerId } }],
  });
  expect(data.company).toEqual({
    draft: { salesQuotes: listOf(draft), open: { nodes: [{ id: draft.id }] } },
    sent: { salesQuotes: listOf(sent), open: { nodes: [] } },
  });
  const asked = (await sandbox.calls()).map(({ path }) => new URLSearchParams(path.split('?')[1]));
  const ofDraft = asked.filter((query) =>
    query.get('$filter')?.startsWith(`customerId eq ${draft.customerId}`),
  );
  expect(ofDraft.map((query) => [query.get('$filter'), query.get('$orderby')])).toEqual([
    [`customerId eq ${draft.customerId}`, null],
    [`customerId eq ${draft.customerId} and (status eq 'Draft' or number eq 'none')`, 'dueDate desc'],
  ]);
});

test("orders' invoices are found by the order's id, their shipments by its number: two lists for each in one batch", async ({
  layer,
  sandbox,
}) => {
  const selection = `salesOrders(first: 5, filter: { fullyShipped: { eq: true } }) { nodes {
    id
    salesInvoices { totalCount nodes { orderId orderNumber } }
    salesShipments(orderBy: [NUMBER_ASC]) { nodes { orderNumber salesShipmentLines { lineNo quantity } } }
    documentLines { lineNo shippedQuantity }
  } }`;

  const { salesOrders } = await ofCompany(layer, selection);

  const [list, batch, ...others] = await sandbox.calls();
  const queries = (batch?.parts ?? []).map(({ path }) => new URLSearchParams(path.split('?')[1]));
  // The number of each order was read, though it is not selected, to find its shipments by.
  const { value } = (await (
    await sandbox.send('GET', `/api/v2.0/companies(${sandboxCompanyId})/salesOrders?$select=id,number`)
  ).json()) as {
    value: readonly Json[];
  };
  const numberOf = (id: string) => value.find((order) => order.id === id)?.number;
  expect(list?.path).toContain('$select=id,number');
  expect(others).toEqual([]);
  expect(salesOrders.nodes).toHaveLength(5);
  expect(queries.map((query) => query.get('$filter')).sort()).toEqual(
    salesOrders.nodes
      .flatMap(({ id }: Json) => [`orderId eq ${id}`, `orderNumber eq '${numberOf(id)}'`])
      .sort(),
  );
  for (const { id, salesInvoices, salesShipments, documentLines } of salesOrders.nodes) {
    for (const invoice of salesInvoices.nodes)
      expect(invoice).toEqual({ orderId: id, orderNumber: numberOf(id) });
    expect(salesShipments.nodes).toHaveLength(1);
    expect(salesShipments.nodes[0]).toEqual({
      orderNumber: numberOf(id),
      salesShipmentLines: documentLines.map(({ lineNo, shippedQuantity }: Json) => ({
        lineNo,
        quantity: shippedQuantity,
      })),
    });
  }
  expect(salesOrders.nodes.some((order: Json) => order.salesInvoices.totalCount === 1)).toBe(true);
});

test('the items of all lines are loaded by their numbers, in one call', async ({ layer, sandbox }) => {
  const { data, errors } = await layer.query(`{ company { salesShipments(first: 20) { nodes {
    number currencyCode paymentTermsCode
    salesShipmentLines { documentNo lineType itemNo currencyCode unitPrice quantity item { number } }
  } } } }`);

  expect(errors).toBeUndefined();
  const shipments: Json[] = data.company.salesShipments.nodes;
  const lines = shipments.flatMap(({ salesShipmentLines }) => salesShipmentLines);
  for (const { number, currencyCode, paymentTermsCode, salesShipmentLines } of shipments) {
    expect(paymentTermsCode).toMatch(/\w/);
    for (const line of salesShipmentLines) expect(line).toMatchObject({ documentNo: number, currencyCode });
  }
  for (const { lineType, itemNo, item } of lines)
    expect(item).toEqual(lineType === 'Item' ? { number: itemNo } : null);
  expect(new Set(lines.map(({ lineType }) => lineType))).toEqual(new Set(['Item', 'G/L Account', null]));
  const [list, items, ...others] = (await sandbox.calls()).map(({ path }) => decodeURIComponent(path));
  expect(list).toContain('$expand=salesShipmentLines(');
  expect(items).toMatch(/\/items\?.*number eq '/);
  expect(others).toEqual([]);
});

test("an order's number is text in the filter of its shipments, whatever it contains", async ({
  layer,
  sandbox,
}) => {
  const value = [{ id: '11111111-0000-4000-8000-000000000000', number: "S' or 1 eq 1" }];
  await sandbox.fault({ path: '/salesOrders', status: 200, body: { value } });

  const { data, errors } = await layer.query(
    '{ company { salesOrders { nodes { salesShipments { totalCount nodes { id } } } } } }',
  );

  expect(errors).toBeUndefined();
  expect(data.company.salesOrders.nodes).toEqual([{ salesShipments: { totalCount: 0, nodes: [] } }]);
  const [, shipments] = await sandbox.calls();
  expect(new URLSearchParams(shipments?.path.split('?')[1]).get('$filter')).toBe(
    "orderNumber eq 'S'' or 1 eq 1'",
  );
});

test('an order without a number has no shipments, and none are asked for', async ({ layer, sandbox }) => {
  const value = [{ id: '11111111-0000-4000-8000-000000000000', number: '' }];
  await sandbox.fault({ path: '/salesOrders', status: 200, body: { value } });

  const { data, errors } = await layer.query(
    '{ company { salesOrders { nodes { salesShipments { totalCount nodes { id } pageInfo { hasNextPage } } } } } }',
  );

  expect(errors).toBeUndefined();
  expect(data.company.salesOrders.nodes).toEqual([
    { salesShipments: { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false } } },
  ]);
  expect(await sandbox.calls()).toHaveLength(1);
});

const inDynamics = testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' });

/** As the real service writes an invoice with a line. */
const realInvoice = {
  '@odata.etag': 'W/"JzE5OzQzMDQzOTYxMjA4OTAyNDMxOTUxOzAwOyc="',
  id: '748010cf-1265-ef11-a673-6045bde80bc6',
  number: '103219',
  invoiceDate: '2024-04-02',
  promisedPayDate: '0001-01-01',
  customerPurchaseOrderReference: 'OPEN',
  currencyId: '00000000-0000-0000-0000-000000000000',
  currencyCode: 'USD',
  orderId: '3ee2d404-b4d3-ee11-904f-6045bde9c6f5',
  orderNumber: '101001',
  disputeStatusId: '00000000-0000-0000-0000-000000000000',
  disputeStatus: '',
  remainingAmount: 944400,
  status: 'In_x0020_Review',
  salesInvoiceLines: [
    {
      '@odata.etag': 'W/"JzE5OzYyNzAxMjg1MjU0NzYzMjY5NTExOzAwOyc="',
      id: '6ef7bd1f-b4d3-ee11-904f-6045bde9c6f5',
      sequence: 10000,
      accountId: '00000000-0000-0000-0000-000000000000',
      account: null,
      item: null,
      lineType: 'Fixed_x0020_Asset',
      lineObjectNumber: '1996-S',
      quantity: 12,
      unitPrice: 62960,
      invoiceDiscountAllocation: 0,
      shipmentDate: '2024-04-02',
    },
  ],
};

inDynamics('an invoice is read as the real service writes it', async ({ layer, sandbox }) => {
  await sandbox.fault({ path: '/salesInvoices', status: 200, body: { value: [realInvoice] } });

  const { data, errors } = await layer.query(
    `{ company { salesInvoices { nodes {
      id etag number invoiceDate promisedPayDate customerPurchaseOrderReference currencyId currencyCode
      orderId orderNumber disputeStatusId disputeStatus remainingAmount status
      salesInvoiceLines {
        etag lineNo accountId account { id } lineType itemNo item { id } quantity unitPrice
        invoiceDiscountAllocation shipmentDate currencyCode
      }
    } } } }`,
  );

  expect(errors).toBeUndefined();
  const { '@odata.etag': etag, salesInvoiceLines, ...invoice } = realInvoice;
  expect(data.company.salesInvoices.nodes).toEqual([
    {
      ...invoice,
      etag,
      promisedPayDate: null,
      currencyId: null,
      disputeStatusId: null,
      disputeStatus: null,
      remainingAmount: '944400',
      status: 'In Review',
      salesInvoiceLines: [
        {
          etag: salesInvoiceLines[0]?.['@odata.etag'],
          lineNo: 10000,
          accountId: null,
          account: null,
          lineType: 'Fixed Asset',
          itemNo: '1996-S',
          item: null,
          quantity: '12',
          unitPrice: '62960',
          invoiceDiscountAllocation: '0',
          shipmentDate: '2024-04-02',
          currencyCode: 'USD',
        },
      ],
    },
  ]);
  expect(await sandbox.calls()).toHaveLength(1);
});
