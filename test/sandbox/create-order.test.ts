import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();
const orders = `${company}/salesOrders`;
const chosenId = '0d0a5c11-57ce-4f42-9c3b-5a4d6f0f8a10';

const firstCustomer = async (filter = 'taxLiable eq true') =>
  (await sandbox.list(`${company}/customers?$top=1&$filter=${filter}`))[0];
const firstItem = async (filter = "taxGroupCode eq 'FURNITURE'") =>
  (await sandbox.list(`${company}/items?$top=1&$filter=${filter}`))[0];
const countOrders = () => sandbox.count(orders);

describe('create a sales order', () => {
  test('A.state.1 A created sales order has status Draft', async () => {
    const customer = await firstCustomer();
    const reply = await sandbox.post(orders, { customerNumber: customer.number });

    expect(reply.status).toBe(201);
    expect(reply.body.status).toBe('Draft');
  });

  test('A.create.1 The response is the whole order and its URL', async () => {
    const customer = await firstCustomer();
    const reply = await sandbox.post(orders, { customerId: customer.id, orderDate: '2025-11-03' });
    const location = reply.headers.get('location') ?? '';

    expect(location).toBe(`${sandbox.url}${orders}(${reply.body.id})`);
    expect((await sandbox.get(location)).body).toEqual(reply.body);
    expect(reply.body).toMatchObject({
      orderDate: '2025-11-03',
      documentLines: [],
      totalAmountIncludingTax: 0,
    });
  });

  test('A.create.2 Names, address, terms and currency come from the customer', async () => {
    const customer = await firstCustomer("currencyCode eq 'EUR'");
    const { body } = await sandbox.post(orders, { customerNumber: customer.number.toLowerCase() });

    expect(body).toMatchObject({
      customerId: customer.id,
      customerNumber: customer.number,
      customerName: customer.displayName,
      billToCustomerId: customer.id,
      billToName: customer.displayName,
      shipToName: customer.displayName,
      sellToAddressLine1: customer.addressLine1,
      billToCity: customer.city,
      shipToPostCode: customer.postalCode,
      currencyCode: 'EUR',
      currencyId: customer.currencyId,
      paymentTermsId: customer.paymentTermsId,
      email: customer.email,
    });
  });

  test('A.create.3 The documented input fields are stored', async () => {
    const customer = await firstCustomer();
    const terms = await firstCustomer(`paymentTermsId ne ${customer.paymentTermsId}`);
    const input = { orderDate: '2025-10-01', currencyCode: 'GBP', paymentTermsId: terms.paymentTermsId };
    const { body } = await sandbox.post(orders, { customerNumber: customer.number, ...input });

    expect(body).toMatchObject(input);
  });

  test.each(['documentLines', 'salesOrderLines'])(
    'A.create.4 Lines nested as %s are created with the order',
    async (name) => {
      const customer = await firstCustomer();
      const item = await firstItem();
      const { status, body } = await sandbox.post(orders, {
        customerId: customer.id,
        [name]: [
          { itemId: item.id, quantity: 2 },
          {
            lineType: 'Item',
            itemNo: item.number,
            quantity: 3,
            unitPrice: 10,
            discountPercent: 10,
            description: 'Own',
          },
          { lineType: 'Comment', description: 'Fragile' },
        ],
      });
      const lines: Json[] = body.documentLines;

      expect(status).toBe(201);
      expect(lines.map((line) => line.lineNo)).toEqual([10_000, 20_000, 30_000]);
      expect(lines[0]).toMatchObject({
        documentId: body.id,
        lineType: 'Item',
        itemNo: item.number,
        description: item.displayName,
        unitOfMeasureCode: item.baseUnitOfMeasureCode,
        unitPrice: item.unitPrice,
        taxPercent: 6,
      });
      expect(lines[1]).toMatchObject({
        itemId: item.id,
        description: 'Own',
        discountAmount: 3,
        amountExcludingTax: 27,
      });
      expect(lines[1]).toMatchObject({ totalTaxAmount: 1.62, amountIncludingTax: 28.62, netAmount: 27 });
      expect(lines[2]).toMatchObject({ lineType: 'Comment', amountIncludingTax: 0 });
      expect(body.totalAmountExcludingTax).toBeCloseTo(2 * item.unitPrice + 27, 2);
      expect(body.totalAmountIncludingTax).toBeCloseTo(body.totalAmountExcludingTax + body.totalTaxAmount, 2);
    },
  );

  test('A.create.5 Without a customer the order is refused', async () => {
    const { status, body } = await sandbox.post(orders, { orderDate: '2025-10-01' });

    expect(status).toBe(400);
    expect(body.error.message).toMatch(/^A "customerNumber" or a "customerId" must be provided\./);
  });

  test.each([
    ['A.create.6', 'an unknown item', { itemNo: 'NOPE', quantity: 1 }],
    ['A.create.7', 'no item', { quantity: 1 }],
    ['A.create.8', 'an unknown property', { itemNo: 'NOPE', colour: 'red' }],
    ['A.create.9', 'a quantity that is text', { lineType: 'Comment', quantity: '1' }],
    ['A.create.10', 'an unknown type', { lineType: 'Gift' }],
    ['A.create.11', 'a read-only amount', { lineType: 'Comment', amountIncludingTax: 1 }],
  ])('%s A line with %s is 400 and creates nothing at all', async (_id, _what, line) => {
    const customer = await firstCustomer();
    const item = await firstItem();
    const before = await countOrders();
    const documentLines = [{ itemId: item.id, quantity: 1 }, line];

    expect((await sandbox.post(orders, { customerId: customer.id, documentLines })).status).toBe(400);
    expect(await countOrders()).toBe(before);
  });

  test('A.create.12 A line number that is taken is refused', async () => {
    const customer = await firstCustomer();
    const line = { lineType: 'Comment', lineNo: 500 };
    const body = { customerId: customer.id, documentLines: [line, line] };

    expect(await sandbox.post(orders, body)).toMatchObject({
      status: 409,
      body: { error: { code: 'Internal_EntityWithSameKeyExists' } },
    });
  });

  test('A.create.13 A client-supplied id is kept, and refused the second time', async () => {
    const customer = await firstCustomer();
    const input = { id: chosenId, customerId: customer.id };
    const first = await sandbox.post(orders, input);
    const count = await countOrders();
    const second = await sandbox.post(orders, input);

    expect(first.body.id).toBe(chosenId);
    expect(second).toMatchObject({
      status: 409,
      body: { error: { code: 'Internal_EntityWithSameKeyExists' } },
    });
    expect(await countOrders()).toBe(count);
  });

  test('A.create.14 Every order gets an id and a number of its own', async () => {
    const customer = await firstCustomer();
    const made = [];
    for (let n = 0; n < 3; n += 1) made.push((await sandbox.post(orders, { customerId: customer.id })).body);

    expect(new Set(made.map((one) => one.id)).size).toBe(3);
    expect(new Set(made.map((one) => one.number)).size).toBe(3);
    expect(await sandbox.post(orders, { customerId: customer.id, number: 'OWN-1' })).toMatchObject({
      status: 400,
    });
  });

  test('A.create.15 A body that is not JSON is 400, one not declared as JSON is 415', async () => {
    const headers = { 'content-type': 'application/json' };

    expect((await sandbox.send('POST', orders, { headers, body: '{' })).status).toBe(400);
    expect((await sandbox.send('POST', orders, { body: '{}' })).status).toBe(415);
  });

  test('A.create.16 Another customer can pay', async () => {
    const customer = await firstCustomer();
    const payer = await firstCustomer(`id ne ${customer.id}`);
    const { body } = await sandbox.post(orders, {
      customerId: customer.id,
      billToCustomerNumber: payer.number,
    });

    expect(body).toMatchObject({ customerName: customer.displayName, billToName: payer.displayName });
  });

  test('A.create.17 Lines are accepted under one name: under both they are refused', async () => {
    const customer = await firstCustomer();
    const lines = [{ lineType: 'Comment', description: 'Fragile' }];
    const body = { customerId: customer.id, documentLines: lines, salesOrderLines: lines };

    expect((await sandbox.post(orders, body)).status).toBe(400);
  });
});
