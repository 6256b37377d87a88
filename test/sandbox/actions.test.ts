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
});
