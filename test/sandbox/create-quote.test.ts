import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });
const quotes = `${company}/salesQuotes`;

describe.each([
  ['document', document, 'itemNo', 'lineNo'],
  ['dynamics', dynamics, 'lineObjectNumber', 'sequence'],
] as const)('create a sales quote in %s', (_dialect, sandbox, itemNumber, lineNumber) => {
  const aCustomer = async () =>
    (await sandbox.list(`${company}/customers?$top=1&$filter=taxLiable eq true`))[0];
  const anItem = async () =>
    (await sandbox.list(`${company}/items?$top=1&$filter=taxGroupCode eq 'FURNITURE'`))[0];
  const count = () => sandbox.count(quotes);

  test('A.quote.9 A quote is created with its lines, as a draft with totals', async () => {
    const [customer, item] = [await aCustomer(), await anItem()];
    const reply = await sandbox.post(`${quotes}?$expand=salesQuoteLines`, {
      customerId: customer.id,
      salesQuoteLines: [
        { itemId: item.id, quantity: 10 },
        { [itemNumber]: item.number, quantity: 1, unitPrice: 100, discountPercent: 10 },
        { lineType: 'Comment', description: 'Valid while in stock' },
      ],
    });
    const { body } = reply;
    const lines: Json[] = body.salesQuoteLines;

    expect(reply.status).toBe(201);
    expect(body).toMatchObject({ status: 'Draft', number: 'S-QUO1061', customerNumber: customer.number });
    expect(lines.map((line) => line[lineNumber])).toEqual([10_000, 20_000, 30_000]);
    expect(lines[0]).toMatchObject({
      documentId: body.id,
      itemId: item.id,
      quantity: 10,
      unitPrice: item.unitPrice,
      description: item.displayName,
      taxPercent: 6,
    });
    expect(lines[1]).toMatchObject({ [itemNumber]: item.number, discountAmount: 10, netAmount: 90 });
    expect(lines[0]).not.toHaveProperty('shipQuantity');
    expect(body.totalAmountExcludingTax).toBeCloseTo(10 * item.unitPrice + 90, 2);
    expect(body.totalTaxAmount).toBeCloseTo(body.totalAmountExcludingTax * 0.06, 1);
    expect(body.totalAmountIncludingTax).toBeCloseTo(body.totalAmountExcludingTax + body.totalTaxAmount, 2);
  });

  test('A.quote.10 Without $expand the response has no lines; it is the same as a read of its URL', async () => {
    const [customer, item] = [await aCustomer(), await anItem()];
    const lines = [{ itemId: item.id, quantity: 2 }];
    const reply = await sandbox.post(quotes, { customerNumber: customer.number, salesQuoteLines: lines });
    const location = reply.headers.get('location') ?? '';

    expect(location).toBe(`${sandbox.url}${quotes}(${reply.body.id})`);
    expect(reply.body).not.toHaveProperty('salesQuoteLines');
    expect((await sandbox.get(location)).body).toEqual(reply.body);
    expect((await sandbox.get(`${location}?$expand=salesQuoteLines`)).body.salesQuoteLines).toHaveLength(1);
  });

  test('A.quote.11 Names, addresses and terms come from the customer, the due date from the terms', async () => {
    const customer = await aCustomer();
    const [terms] = await sandbox.list(`${company}/paymentTerms?$filter=code eq '14D'`);
    const { body } = await sandbox.post(quotes, {
      customerId: customer.id,
      documentDate: '2025-11-20',
      paymentTermsId: terms.id,
      billToCity: 'Oslo',
    });

    expect(body).toMatchObject({
      customerName: customer.displayName,
      sellToCity: customer.city,
      shipToName: customer.displayName,
      billToCustomerId: customer.id,
      billToCity: 'Oslo',
      currencyCode: customer.currencyCode,
      documentDate: '2025-11-20',
      dueDate: '2025-12-04',
      validUntilDate: '0001-01-01',
      acceptedDate: '0001-01-01',
    });
    expect(body.sentDate).toMatch(/^0001-01-01T/);
    expect(
      (await sandbox.post(quotes, { customerId: customer.id, dueDate: '2026-01-31' })).body.dueDate,
    ).toBe('2026-01-31');
  });

  test.each([
    ['no customer', { documentDate: '2025-10-01' }],
    ['a customer that is not there', { customerNumber: 'NOBODY' }],
    ['a number', { customerNumber: 'C10000', number: '1006' }],
    ['a status', { customerNumber: 'C10000', status: 'Sent' }],
    ['lines of an order', { customerNumber: 'C10000', salesOrderLines: [] }],
    ['an unknown item', { customerNumber: 'C10000', salesQuoteLines: [{ [itemNumber]: 'NOPE' }] }],
    ['what ships', { customerNumber: 'C10000', salesQuoteLines: [{ lineType: 'Comment', shipQuantity: 1 }] }],
    ['a discount below nothing', { customerNumber: 'C10000', discountAmount: -1 }],
  ])('A.quote.12 A quote with %s is 400 and nothing is created', async (_what, body) => {
    const before = await count();

    expect((await sandbox.post(quotes, body)).status).toBe(400);
    expect(await count()).toBe(before);
  });

  test('A.quote.13 Every quote gets a number of the series', async () => {
    const customer = await aCustomer();
    const made = [];
    for (let n = 0; n < 3; n += 1) made.push((await sandbox.post(quotes, { customerId: customer.id })).body);

    expect(made.map((one) => one.number)).toEqual(['S-QUO1061', 'S-QUO1062', 'S-QUO1063']);
  });
});
