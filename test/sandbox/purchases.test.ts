import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });
const orders = `${company}/purchaseOrders`;
const vendors = `${company}/vendors`;
const unset = '00000000-0000-0000-0000-000000000000';
const sum = (rows: readonly Json[], field: string): number =>
  rows.reduce((total, row) => total + row[field], 0);

describe.each([
  ['document', document],
  ['dynamics', dynamics],
] as const)('purchases of %s', (dialect, sandbox) => {
  const vendor = async (number = 'V10010') =>
    (await sandbox.list(`${vendors}?$filter=number eq '${number}'`))[0];
  const withLines = (path: string) => `${path}?$expand=purchaseOrderLines`;

  test('A.vendor.1 A vendor is created with the next number and the defaults, changed and deleted', async () => {
    const { status, body } = await sandbox.post(vendors, { displayName: 'Timber & Co', country: 'se' });
    const path = `${vendors}(${body.id})`;

    expect(status).toBe(201);
    expect(body).toMatchObject({ number: 'V10400', country: 'SE', balance: 0, currencyCode: 'USD' });
    expect(body.paymentTermsId).not.toBe(unset);
    expect((await sandbox.patch(path, body['@odata.etag'], { blocked: 'Payment' })).body.blocked).toBe(
      'Payment',
    );
    expect((await sandbox.patch(path, body['@odata.etag'], { blocked: 'All' })).status).toBe(
      dialect === 'document' ? 412 : 409,
    );
    expect((await sandbox.send('DELETE', path)).status).toBe(204);
    for (const wrong of [
      {},
      { displayName: 'A', country: 'QQ' },
      { displayName: 'A', balance: 5 },
      { displayName: 'A', number: 'V10000' },
    ])
      expect((await sandbox.post(vendors, wrong)).status, JSON.stringify(wrong)).toBeGreaterThanOrEqual(400);
  });

  test('A.vendor.3 A vendor with orders is not deleted', async () => {
    const { id, number } = await vendor();
    const refused = await sandbox.send('DELETE', `${vendors}(${id})`);

    expect(refused.body.error.message).toContain(
      `You cannot delete Vendor ${number} because there is at least one outstanding Purchase Order`,
    );
  });

  test('A.vendor.4 Orders of a vendor are expanded with lines and items where the document alone is spoken', async () => {
    const nested = 'purchaseOrders($expand=purchaseOrderLines($expand=item))';
    const reply = await sandbox.get(`${vendors}?$expand=${nested}&$filter=number eq 'V10010'`);
    if (dialect === 'dynamics') {
      expect(reply.status).toBe(400);
      return;
    }
    const [{ id, purchaseOrders }] = reply.body.value;

    expect(purchaseOrders).toHaveLength((await sandbox.list(`${orders}?$filter=vendorId eq ${id}`)).length);
    for (const order of purchaseOrders)
      for (const line of order.purchaseOrderLines) expect(line.item.number).toBe(line.lineObjectNumber);
  });

  test('A.purchase.1 Every order leads to a vendor and to items, and its totals are those of its lines', async () => {
    const all = await sandbox.list(
      `${orders}?$expand=vendor,paymentTerm,purchaseOrderLines($expand=item,unitOfMeasure)`,
    );

    expect(all).toHaveLength(60);
    expect(new Set(all.map(({ status }) => status)).size).toBe(3);
    for (const order of all) {
      const lines: Json[] = order.purchaseOrderLines;
      expect(order.vendor).toMatchObject({ id: order.vendorId, number: order.vendorNumber });
      expect(order.totalAmountExcludingTax).toBeCloseTo(sum(lines, 'netAmount'), 2);
      expect(order.totalAmountIncludingTax).toBeCloseTo(sum(lines, 'netAmountIncludingTax'), 2);
      expect(lines.map(({ sequence }) => sequence)).toEqual(lines.map((_, index) => (index + 1) * 10_000));
      for (const line of lines) {
        expect(line).toMatchObject({ documentId: order.id, lineObjectNumber: line.item.number });
        expect(line.amountExcludingTax).toBeCloseTo(
          line.quantity * line.directUnitCost - line.discountAmount,
          2,
        );
      }
    }
  });

  test('A.purchase.2 An order is created with its lines, all or nothing, shipped to the company itself', async () => {
    const [own] = await sandbox.list(`${company}/companyInformation`);
    const seller = await vendor();
    const purchaseOrderLines = [
      { lineType: 'Item', lineObjectNumber: '1000', quantity: 3, directUnitCost: 10, discountPercent: 10 },
      { lineType: 'Account', lineObjectNumber: '6810', quantity: 1, directUnitCost: 5 },
    ];
    const created = await sandbox.post(withLines(orders), { vendorNumber: 'V10010', purchaseOrderLines });
    const { purchaseOrderLines: lines, ...order } = created.body;

    expect(created.status).toBe(201);
    expect(order).toMatchObject({
      number: 'P-ORD106061',
      status: 'Draft',
      vendorId: seller.id,
      payToVendorId: seller.id,
      vendorName: seller.displayName,
      buyFromCity: seller.city,
      shipToName: own.displayName,
      shipToCity: own.city,
      totalAmountExcludingTax: 32,
    });
    expect(lines).toMatchObject([
      { sequence: 10_000, discountAmount: 3, netAmount: 27, receiveQuantity: 3, receivedQuantity: 0 },
      { sequence: 20_000, netAmount: 5, lineObjectNumber: '6810' },
    ]);
    const wrong = { vendorNumber: 'V10010', purchaseOrderLines: [{ lineObjectNumber: 'NONE', quantity: 1 }] };
    expect((await sandbox.post(orders, wrong)).status).toBe(400);
    expect((await sandbox.post(orders, {})).body.error.message).toContain(
      'A "vendorNumber" or a "vendorId" must be provided.',
    );
    expect(await sandbox.list(orders)).toHaveLength(61);
  });

  test('A.purchase.3 Another vendor brings its name, terms and taxes; its price comes from the cost of the item', async () => {
    const [item] = await sandbox.list(`${company}/items?$filter=number eq '1000'`);
    const { body } = await sandbox.post(withLines(orders), {
      vendorNumber: 'V10010',
      purchaseOrderLines: [{ itemId: item.id, quantity: 2 }],
    });
    const path = `${orders}(${body.id})`;
    const other = await vendor('V10050');
    const changed = await sandbox.patch(path, body['@odata.etag'], { vendorId: other.id });

    expect(body.purchaseOrderLines[0].directUnitCost).toBe(item.unitCost);
    expect(changed.body).toMatchObject({
      vendorNumber: 'V10050',
      vendorName: other.displayName,
      payToVendorId: other.id,
      paymentTermsId: other.paymentTermsId,
    });
    expect((await sandbox.patch(path, '*', { vendorNumber: 'NONE' })).status).toBe(400);
    expect((await sandbox.patch(path, '*', { discountAmount: 4 })).body.totalAmountExcludingTax).toBeCloseTo(
      2 * item.unitCost - 4,
      2,
    );
    expect((await sandbox.send('DELETE', path)).status).toBe(204);
  });

  test.runIf(dialect === 'dynamics')(
    'A.purchase.4 Lines are added, changed and removed below their order',
    async () => {
      const [order] = await sandbox.list(`${withLines(orders)}&$filter=fullyReceived eq false&$top=1`);
      const path = `${orders}(${order.id})/purchaseOrderLines`;
      const added = await sandbox.post(path, {
        lineType: 'Item',
        lineObjectNumber: '1004',
        quantity: 2,
        directUnitCost: 7,
      });
      const line = `${path}(${added.body.id})`;
      const more = await sandbox.patch(line, added.body['@odata.etag'], { quantity: 5 });
      const total = async () => (await sandbox.get(`${orders}(${order.id})`)).body.totalAmountExcludingTax;

      expect(added).toMatchObject({
        status: 201,
        body: { sequence: (order.purchaseOrderLines.length + 1) * 10_000 },
      });
      expect(more.body).toMatchObject({ quantity: 5, receiveQuantity: 5, amountExcludingTax: 35 });
      expect(await total()).toBeCloseTo(order.totalAmountExcludingTax + 35, 2);
      expect((await sandbox.send('DELETE', line)).status).toBe(204);
      expect(await total()).toBeCloseTo(order.totalAmountExcludingTax, 2);
    },
  );

  test('A.purchase.5 Invoices are read with their lines and vendor; those of a received order name it', async () => {
    const invoices = await sandbox.list(`${company}/purchaseInvoices?$expand=vendor,purchaseInvoiceLines`);
    const received = await sandbox.list(`${withLines(orders)}&$filter=fullyReceived eq true`);

    expect(new Set(invoices.map(({ status }) => status))).toEqual(
      new Set(['Draft', 'Open', 'Paid', 'Canceled']),
    );
    for (const invoice of invoices) {
      expect(invoice.vendor.number).toBe(invoice.vendorNumber);
      expect(invoice.totalAmountExcludingTax).toBeCloseTo(sum(invoice.purchaseInvoiceLines, 'netAmount'), 2);
    }
    for (const { id, number, purchaseOrderLines } of received) {
      const [invoice] = invoices.filter(({ orderId }) => orderId === id);
      expect(invoice.orderNumber).toBe(number);
      expect(invoice.purchaseInvoiceLines.map(({ unitCost }: Json) => unitCost)).toEqual(
        purchaseOrderLines.map(({ directUnitCost }: Json) => directUnitCost),
      );
    }
  });

  test('A.purchase.6 receiveAndInvoice posts what the lines say, and removes an order of which all is done', async () => {
    const created = await sandbox.post(withLines(orders), {
      vendorNumber: 'V10010',
      purchaseOrderLines: [{ lineObjectNumber: '1004', quantity: 4, receiveQuantity: 3, invoiceQuantity: 1 }],
    });
    const path = `${orders}(${created.body.id})`;
    const stock = async () => (await sandbox.list(`${company}/items?$filter=number eq '1004'`))[0].inventory;
    const before = await stock();

    const first = await sandbox.send('POST', `${path}/Microsoft.NAV.receiveAndInvoice`);
    const { body: between } = await sandbox.get(`${path}?$expand=purchaseOrderLines`);
    const second = await sandbox.send('POST', `${path}/Microsoft.NAV.receiveAndInvoice`);

    expect([first.status, second.status, (await sandbox.get(path)).status]).toEqual([204, 204, 404]);
    expect(between.purchaseOrderLines).toMatchObject([
      { receivedQuantity: 3, receiveQuantity: 1, invoicedQuantity: 1, invoiceQuantity: 3 },
    ]);
    expect((await stock()) - before).toBe(4);
    const invoices = await sandbox.list(
      `${company}/purchaseInvoices?$filter=orderNumber eq '${created.body.number}'&$expand=purchaseInvoiceLines`,
    );
    expect(
      invoices
        .map(({ orderId, status, purchaseInvoiceLines: [line] }) => [orderId, status, line.quantity])
        .sort(),
    ).toEqual([1, 3].map((quantity) => [created.body.id, 'Open', quantity]));
    expect(first.headers.get('location')).toContain('/purchaseInvoices(');
  });

  test('A.purchase.7 An invoice is created as a draft, and posted under its id', async () => {
    const set = `${company}/purchaseInvoices`;
    const { body: draft } = await sandbox.post(set, {
      vendorNumber: 'V10010',
      purchaseInvoiceLines: [{ lineObjectNumber: '1004', quantity: 2, unitCost: 5 }],
    });
    const path = `${set}(${draft.id})`;
    await sandbox.send('POST', `${path}/Microsoft.NAV.post`);
    const { body: posted } = await sandbox.get(path);

    expect([draft.status, posted.status]).toEqual(['Draft', 'Open']);
    expect([draft.number, posted.number]).toEqual([
      expect.stringMatching(/^P-INV/),
      expect.stringMatching(/^PP-INV/),
    ]);
    expect(posted.totalAmountExcludingTax).toBe(10);
    expect((await sandbox.patch(path, '*', { purchaser: 'RL' })).status).toBe(400);
    expect((await sandbox.send('DELETE', path)).status).toBe(400);
  });
});
