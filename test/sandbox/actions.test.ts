import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const dynamics = useSandbox({ dialect: 'dynamics' });

const quoteOf = async (quantity = 2) => {
  const { body } = await dynamics.post(`${company}/salesQuotes?$expand=salesQuoteLines`, {
    customerNumber: 'C10000',
    salesQuoteLines: [{ lineObjectNumber: '1004', quantity, unitPrice: 10 }],
  });
  return body;
};
const act = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  dynamics.send('POST', `${company}/${path}`, { headers });

describe('actions of sales documents', () => {
  test('A.act.1 makeOrder turns a quote into a draft of an order, and removes the quote', async () => {
    const quote = await quoteOf();

    const made = await act(`salesQuotes(${quote.id})/Microsoft.NAV.makeOrder`);

    expect([made.status, made.text]).toEqual([204, '']);
    const { body: order } = await dynamics.get(`${made.headers.get('location')}?$expand=salesOrderLines`);
    expect(order).toMatchObject({
      status: 'Draft',
      customerId: quote.customerId,
      totalAmountIncludingTax: quote.totalAmountIncludingTax,
      salesOrderLines: [{ documentId: order.id, quantity: 2, shipQuantity: 2, invoiceQuantity: 2 }],
    });
    expect((await dynamics.get(`${company}/salesQuotes(${quote.id})`)).status).toBe(404);
  });

  test('A.act.3 shipAndInvoice posts what the lines say, and keeps an order that is not finished', async () => {
    const quote = await quoteOf();
    const made = await act(`salesQuotes(${quote.id})/Microsoft.NAV.makeOrder`);
    const path = new URL(made.headers.get('location') ?? '').pathname;
    const { body: order } = await dynamics.get(`${path}?$expand=salesOrderLines`);
    const [line] = order.salesOrderLines;
    await dynamics.patch(`${path}/salesOrderLines(${line.id})`, line['@odata.etag'], {
      shipQuantity: 2,
      invoiceQuantity: 1,
    });

    const first = await dynamics.send('POST', `${path}/Microsoft.NAV.shipAndInvoice`);
    const { body: between } = await dynamics.get(`${path}?$expand=salesOrderLines`);
    const second = await dynamics.send('POST', `${path}/Microsoft.NAV.shipAndInvoice`);
    const third = await dynamics.send('POST', `${path}/Microsoft.NAV.shipAndInvoice`);

    expect([first.status, second.status, third.status]).toEqual([204, 204, 404]);
    expect(between).toMatchObject({
      fullyShipped: true,
      salesOrderLines: [{ shippedQuantity: 2, shipQuantity: 0, invoicedQuantity: 1, invoiceQuantity: 1 }],
    });
    const invoices = await dynamics.list(`${company}/salesInvoices?$filter=orderNumber eq '${order.number}'`);
    const shipments = await dynamics.list(
      `${company}/salesShipments?$filter=orderNumber eq '${order.number}'`,
    );
    expect([invoices.length, shipments.length]).toEqual([2, 1]);
  });

  test('A.act.5 cancel makes a corrective credit memo of all of a posted invoice, and gives the goods back', async () => {
    const stock = async () => (await dynamics.list(`${company}/items?$filter=number eq '1004'`))[0].inventory;
    const { body: draft } = await dynamics.post(`${company}/salesInvoices`, {
      customerNumber: 'C10000',
      salesInvoiceLines: [{ lineObjectNumber: '1004', quantity: 2, unitPrice: 10 }],
    });
    const path = `salesInvoices(${draft.id})`;
    const before = await stock();

    const early = await act(`${path}/Microsoft.NAV.cancel`);
    await act(`${path}/Microsoft.NAV.post`);
    const posted = await stock();
    const done = await act(`${path}/Microsoft.NAV.cancel`);
    const again = await act(`${path}/Microsoft.NAV.cancel`);

    expect([early.status, done.status, again.status]).toEqual([400, 204, 400]);
    expect([before - posted, await stock()]).toEqual([2, before]);
    const { body: invoice } = await dynamics.get(`${company}/${path}`);
    expect(invoice).toMatchObject({ status: 'Canceled', remainingAmount: 0 });
    const memos = await dynamics.list(
      `${company}/salesCreditMemos?$filter=invoiceNumber eq '${invoice.number}'`,
    );
    expect(memos).toMatchObject([
      {
        status: 'Corrective',
        invoiceId: invoice.id,
        totalAmountIncludingTax: invoice.totalAmountIncludingTax,
      },
    ]);
    expect((await act(`salesCreditMemos(${memos[0].id})/Microsoft.NAV.cancel`)).status).toBe(204);
  });

  test('A.act.4 refuses an old tag, a reader, and an action that a record does not have', async () => {
    const quote = await quoteOf();
    const path = `salesQuotes(${quote.id})/Microsoft.NAV`;

    const stale = await act(`${path}.makeOrder`, { 'if-match': 'W/"old"' });
    const reader = await dynamics.send('POST', `${company}/${path}.makeOrder`, { token: 'reader' });
    const foreign = await act(`${path}.shipAndInvoice`);
    const read = await dynamics.get(`${company}/${path}.makeOrder`);

    expect([stale.status, reader.status, foreign.status, read.status]).toEqual([409, 403, 404, 405]);
    expect((await dynamics.get(`${company}/salesQuotes(${quote.id})`)).status).toBe(200);
  });

  test('A.purchase.6 receiveAndInvoice posts what the lines say, and removes an order of which all is done', async () => {
    const { body: created } = await dynamics.post(`${company}/purchaseOrders`, {
      vendorNumber: 'V10010',
      purchaseOrderLines: [{ lineObjectNumber: '1004', quantity: 4, receiveQuantity: 3, invoiceQuantity: 1 }],
    });
    const path = `purchaseOrders(${created.id})`;
    const stock = async () => (await dynamics.first('items', "number eq '1004'")).inventory;
    const before = await stock();

    const first = await act(`${path}/Microsoft.NAV.receiveAndInvoice`);
    const [between] = await dynamics.list(`${company}/${path}/purchaseOrderLines`);
    const second = await act(`${path}/Microsoft.NAV.receiveAndInvoice`);

    expect([first.status, second.status]).toEqual([204, 204]);
    expect(first.headers.get('location')).toContain('/purchaseInvoices(');
    expect((await dynamics.get(`${company}/${path}`)).status).toBe(404);
    expect(between).toMatchObject({ receivedQuantity: 3, receiveQuantity: 1 });
    expect(between).toMatchObject({ invoicedQuantity: 1, invoiceQuantity: 3 });
    expect((await stock()) - before).toBe(4);
    const invoices = await dynamics.list(
      `${company}/purchaseInvoices?$filter=orderNumber eq '${created.number}'&$expand=purchaseInvoiceLines`,
    );
    const posted = invoices.map(({ status, purchaseInvoiceLines: [line] }) => [status, line.quantity]);
    expect(posted.sort()).toEqual([
      ['Open', 1],
      ['Open', 3],
    ]);
  });
});
