import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import type { Json } from '../../support/json.ts';
import { test as documented, type TestLayer, testWith } from '../../support/layer.ts';

const company = `/api/v2.0/companies(${sandboxCompanyId})`;
const sum = (rows: readonly Json[], field: string): number =>
  rows.reduce((total, row) => total + Number(row[field]), 0);

async function ofCompany(layer: TestLayer, selection: string, variables = {}): Promise<Json> {
  const { data, errors } = await layer.query(`query ($id: UUID!) { company(id: $id) { ${selection} } }`, {
    id: sandboxCompanyId,
    ...variables,
  });
  expect(errors).toBeUndefined();
  return data.company;
}

describe.each([
  ['document', documented],
  ['dynamics', testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' })],
] as const)('posted documents in the dialect %s', (_dialect, test) => {
  test('fifty invoices with their customers, lines and the items of these are one upstream call', async ({
    layer,
    sandbox,
  }) => {
    const { salesInvoices } = await ofCompany(
      layer,
      `salesInvoices(first: 50) { nodes {
        number customerNumber customer { number } currencyCode
        salesInvoiceLines { lineType lineNo itemNo currencyCode item { number } }
      } }`,
    );

    expect(await sandbox.calls()).toHaveLength(1);
    expect(salesInvoices.nodes).toHaveLength(50);
    for (const invoice of salesInvoices.nodes) {
      expect(invoice.customer.number).toBe(invoice.customerNumber);
      for (const line of invoice.salesInvoiceLines) {
        expect(line.currencyCode).toBe(invoice.currencyCode);
        expect(line.lineNo).toBeGreaterThan(0);
        expect(line.item?.number).toBe(line.lineType === 'Item' ? line.itemNo : undefined);
      }
    }
  });

  test('the totals of invoices and credit memos are those of their lines', async ({ layer }) => {
    const totals = 'totalAmountExcludingTax totalTaxAmount totalAmountIncludingTax discountAmount lines: ';
    const lines = '{ netAmount netTaxAmount netAmountIncludingTax invoiceDiscountAllocation }';
    const { salesInvoices, salesCreditMemos } = await ofCompany(
      layer,
      `salesInvoices(first: 200) { nodes { ${totals} salesInvoiceLines ${lines} } }
       salesCreditMemos { nodes { ${totals} salesCreditMemoLines ${lines} } }`,
    );

    const all: Json[] = [...salesInvoices.nodes, ...salesCreditMemos.nodes];
    expect(salesInvoices.nodes.length).toBeGreaterThan(50);
    expect(salesCreditMemos.nodes.length).toBeGreaterThan(10);
    for (const one of all) {
      expect(one.lines.length).toBeGreaterThan(0);
      expect(sum(one.lines, 'netAmount')).toBeCloseTo(Number(one.totalAmountExcludingTax), 2);
      expect(sum(one.lines, 'netTaxAmount')).toBeCloseTo(Number(one.totalTaxAmount), 2);
      expect(sum(one.lines, 'netAmountIncludingTax')).toBeCloseTo(Number(one.totalAmountIncludingTax), 2);
      expect(sum(one.lines, 'invoiceDiscountAllocation')).toBeCloseTo(Number(one.discountAmount), 2);
    }
    expect(all.some(({ discountAmount }) => Number(discountAmount) > 0)).toBe(true);
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
      await sandbox.send('GET', `${company}/salesOrders?$select=id,number`)
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

  test('the order of an invoice is null once it is finished, its number stays', async ({
    layer,
    sandbox,
  }) => {
    const { salesInvoices } = await ofCompany(
      layer,
      'salesInvoices(first: 200) { nodes { status orderId orderNumber order { id number } } }',
    );

    expect(await sandbox.calls()).toHaveLength(2);
    const drafts = salesInvoices.nodes.filter(({ status }: Json) => ['Draft', 'In Review'].includes(status));
    const posted: Json[] = salesInvoices.nodes.filter((one: Json) => !drafts.includes(one));
    expect(drafts.length).toBeGreaterThan(1);
    for (const draft of drafts)
      expect(draft).toMatchObject({ orderId: null, orderNumber: null, order: null });
    for (const { orderId, orderNumber, order } of posted) {
      expect(orderNumber).toMatch(/^S-ORD/);
      if (order) expect(order).toEqual({ id: orderId, number: orderNumber });
    }
    expect(posted.some(({ order }) => order !== null)).toBe(true);
    expect(posted.some(({ order }) => order === null)).toBe(true);
  });

  test('each is found by its number in any case, by its node id, and as the entity of a router', async ({
    layer,
  }) => {
    const { salesInvoices, salesShipments, salesCreditMemos } = await ofCompany(
      layer,
      ['salesInvoices', 'salesShipments', 'salesCreditMemos']
        .map((list) => `${list}(first: 1) { nodes { __typename nodeId id number } }`)
        .join(' '),
    );
    const all: Json[] = [salesInvoices, salesShipments, salesCreditMemos].map(({ nodes }) => nodes[0]);
    const [invoice, shipment, memo] = all.map(({ number }) => JSON.stringify(number.toLowerCase()));
    const found = await ofCompany(
      layer,
      `invoice: salesInvoiceByNumber(number: ${invoice}) { id }
       shipment: salesShipmentByNumber(number: ${shipment}) { id }
       memo: salesCreditMemoByNumber(number: ${memo}) { id }
       none: salesInvoiceByNumber(number: "none") { id }`,
    );
    const { data, errors } = await layer.query(
      `query ($ids: [ID!]!, $keys: [_Any!]!) {
        nodes(nodeIds: $ids) { __typename nodeId }
        _entities(representations: $keys) {
          ... on SalesInvoice { id number } ... on SalesShipment { id number } ... on SalesCreditMemo { id number }
        }
      }`,
      {
        ids: all.map(({ nodeId }) => nodeId),
        keys: all.map(({ __typename, id }) => ({ __typename, companyId: sandboxCompanyId, id })),
      },
    );

    expect(errors).toBeUndefined();
    expect([found.invoice, found.shipment, found.memo]).toEqual(all.map(({ id }) => ({ id })));
    expect(found.none).toBeNull();
    expect(data.nodes).toEqual(all.map(({ __typename, nodeId }) => ({ __typename, nodeId })));
    expect(data._entities).toEqual(all.map(({ id, number }) => ({ id, number })));
  });

  test('invoices are filtered by status and sorted by what they are over', async ({ layer }) => {
    const { open, review } = await ofCompany(
      layer,
      `open: salesInvoices(filter: { status: { eq: "Open" }, totalAmountIncludingTax: { gt: "100" } }, orderBy: [DUE_DATE_DESC]) {
        totalCount nodes { status dueDate totalAmountIncludingTax remainingAmount }
      }
      review: salesInvoices(filter: { status: { eq: "In Review" } }) { nodes { status } }`,
    );
    const dates = open.nodes.map(({ dueDate }: Json) => dueDate);

    expect(open.totalCount).toBeGreaterThan(5);
    expect(dates).toEqual([...dates].sort().reverse());
    for (const { status, totalAmountIncludingTax, remainingAmount } of open.nodes) {
      expect(status).toBe('Open');
      expect(Number(totalAmountIncludingTax)).toBeGreaterThan(100);
      expect(remainingAmount).toBe(totalAmountIncludingTax);
    }
    expect(review.nodes.map(({ status }: Json) => status)).toContain('In Review');
  });

  test("a customer's invoices, shipments and credit memos are those that name the customer", async ({
    layer,
    sandbox,
  }) => {
    const { salesCreditMemos } = await ofCompany(
      layer,
      'salesCreditMemos(first: 1) { nodes { customerId } }',
    );
    const { customerId } = salesCreditMemos.nodes[0];
    await sandbox.forgetCalls();

    const { customer } = await ofCompany(
      layer,
      `customer(id: "${customerId}") {
        salesInvoices { nodes { id customerId } }
        salesShipments { nodes { customerId customer { id } } }
        salesCreditMemos { nodes { customerId invoiceId invoiceNumber invoice { id number } } }
      }`,
    );

    const lists = [customer.salesInvoices, customer.salesShipments, customer.salesCreditMemos];
    for (const { nodes } of lists) {
      expect(nodes.length).toBeGreaterThan(0);
      for (const node of nodes) expect(node.customerId).toBe(customerId);
    }
    for (const { invoiceId, invoiceNumber, invoice } of customer.salesCreditMemos.nodes)
      expect(invoice).toEqual({ id: invoiceId, number: invoiceNumber });
    const filters = (await sandbox.calls()).map(({ path }) =>
      new URLSearchParams(path.split('?')[1]).get('$filter'),
    );
    expect(filters.filter((filter) => filter === `customerId eq ${customerId}`)).toHaveLength(3);
  });

  test('a credit memo of a canceled invoice takes back all of it', async ({ layer }) => {
    const { salesCreditMemos } = await ofCompany(
      layer,
      `salesCreditMemos(filter: { status: { eq: "Corrective" } }) { nodes {
        totalAmountIncludingTax invoice { status totalAmountIncludingTax remainingAmount }
      } }`,
    );

    expect(salesCreditMemos.nodes.length).toBeGreaterThan(3);
    for (const { totalAmountIncludingTax, invoice } of salesCreditMemos.nodes)
      expect(invoice).toEqual({ status: 'Canceled', totalAmountIncludingTax, remainingAmount: '0' });
  });
});
