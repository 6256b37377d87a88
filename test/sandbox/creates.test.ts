import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const unset = '00000000-0000-0000-0000-000000000000';
const nobody = '11111111-1111-4111-8111-111111111111';
const refused = (code: string) => ({ status: 400, body: { error: { code } } });

/** A body that is enough, and the numbers that the series gives to the first and the second record. */
const masters = [
  ['customers', { displayName: 'Brindle Trading' }, 'C13000', 'C13010'],
  ['items', { displayName: 'Oak shelf' }, '1480', '1484'],
  ['employees', { givenName: 'Ada', surname: 'Byron' }, 'E041', 'E042'],
] as const;

describe.each([
  ['document', document],
  ['dynamics', dynamics],
] as const)('create in %s', (dialect, sandbox) => {
  const taken = {
    status: dialect === 'document' ? 409 : 400,
    body: { error: { code: 'Internal_EntityWithSameKeyExists' } },
  };
  const [itemNumber, lineNumber] =
    dialect === 'document' ? ['itemNo', 'lineNo'] : ['lineObjectNumber', 'sequence'];
  const anItem = () => sandbox.first('items', "taxGroupCode eq 'FURNITURE'");
  const aCustomer = (filter = 'taxLiable eq true') => sandbox.first('customers', filter);

  describe.each(masters)('of %s', (set, body, firstNumber, secondNumber) => {
    const path = `${company}/${set}`;

    test('A.create.19 An omitted number is the next free one of the series, and no number is assigned twice', async () => {
      const first = await sandbox.post(path, body);
      await sandbox.send('DELETE', `${path}(${first.body.id})`);
      const second = await sandbox.post(path, { ...body, number: '' });
      const own = await sandbox.post(path, { ...body, number: ` own-1${' '.repeat(3)}` });
      const numbers = [first, second, own].map((one) => one.body.number);

      expect(numbers).toEqual([firstNumber, secondNumber, ' OWN-1']);
    });

    test('A.duplicate.1 A number that is taken, in any case, and a taken id are rejected and nothing is created', async () => {
      const { body: made } = await sandbox.post(path, { ...body, number: 'TWIN' });
      const before = await sandbox.count(path);
      const again = await sandbox.post(path, { ...body, number: 'twin' });

      expect(again).toMatchObject(taken);
      expect(again.body.error.message).toContain("No.='TWIN'");
      expect(await sandbox.post(path, { ...body, id: made.id.toUpperCase() })).toMatchObject(taken);
      expect(await sandbox.count(path)).toBe(before);
    });
  });

  test.each([
    ['A.create.23', 'customers', { city: 'Oslo' }, 'Application_DialogException'],
    ['A.create.23', 'customers', { displayName: '   ' }, 'Application_DialogException'],
    ['A.create.21', 'customers', { displayName: 'X', colour: 'red' }, 'BadRequest'],
    ['A.create.26', 'customers', { displayName: 'X', paymentTermsId: nobody }, 'Application_DialogException'],
    ['A.create.26', 'customers', { displayName: 'X', currencyCode: 'XYZ' }, 'Application_DialogException'],
    ['A.create.26', 'items', { displayName: 'X', itemCategoryCode: 'NOPE' }, 'Application_DialogException'],
    ['A.create.28', 'items', { displayName: 'X', inventory: 0 }, 'Application_DialogException'],
    ['A.create.37', 'customers', { displayName: 'X', country: 'xq' }, 'Internal_InvalidTableRelation'],
    [
      'A.create.14',
      'salesOrders',
      { customerNumber: 'C10000', number: 'OWN-1' },
      'Application_DialogException',
    ],
    ['A.quote.12', 'salesQuotes', { documentDate: '2025-10-01' }, 'Application_DialogException'],
    ['A.quote.12', 'salesQuotes', { customerNumber: 'NOBODY' }, 'Application_DialogException'],
    [
      'A.quote.12',
      'salesQuotes',
      { customerNumber: 'C10000', status: 'Sent' },
      'BadRequest_InvalidOperation',
    ],
    ['A.quote.12', 'salesQuotes', { customerNumber: 'C10000', salesOrderLines: [] }, 'BadRequest'],
    [
      'A.quote.12',
      'salesQuotes',
      { customerNumber: 'C10000', discountAmount: -1 },
      'Application_DialogException',
    ],
  ])('%s Creating %s with %j is refused, and nothing is created', async (_id, set, body, code) => {
    const before = await sandbox.count(`${company}/${set}`);

    expect(await sandbox.post(`${company}/${set}`, body)).toMatchObject(refused(code));
    expect(await sandbox.count(`${company}/${set}`)).toBe(before);
  });

  test('A.create.24 Omitted fields of a customer are blank or come from the template', async () => {
    const { body } = await sandbox.post(`${company}/customers`, { displayName: 'Brindle Trading' });
    const terms = await sandbox.get(`${company}/paymentTerms(${body.paymentTermsId})`);

    expect(body).toMatchObject({ type: 'Company', city: '', creditLimit: 0, taxLiable: false });
    expect(body).toMatchObject({ currencyId: unset, currencyCode: 'USD', paymentMethodId: unset });
    expect(body.blocked).toBe(dialect === 'document' ? ' ' : '_x0020_');
    expect(terms.body.code).toBe('30D');
  });

  test('A.create.27 Category, tax group and unit of an item set each other by id and by code', async () => {
    const [table] = await sandbox.list(`${company}/itemCategories?$filter=code eq 'TABLE'`);
    const make = async (body: Json) =>
      (await sandbox.post(`${company}/items`, { displayName: 'Shelf', ...body })).body;

    expect(await make({ itemCategoryCode: 'table', taxGroupCode: 'furniture' })).toMatchObject({
      itemCategoryId: table.id,
      itemCategoryCode: 'TABLE',
      taxGroupId: expect.not.stringMatching(unset),
      baseUnitOfMeasureCode: 'PCS',
      inventoryPostingGroupCode: 'RESALE',
    });
    expect(await make({ type: 'Service', itemCategoryId: table.id })).toMatchObject({
      itemCategoryCode: 'TABLE',
      inventoryPostingGroupCode: '',
      inventoryPostingGroupId: unset,
    });
  });

  describe.each([
    ['salesOrders', 'salesOrderLines'],
    ['salesQuotes', 'salesQuoteLines'],
  ])('documents: %s', (set, lines) => {
    const path = `${company}/${set}`;
    const make = (body: Json) => sandbox.post(`${path}?$expand=${lines}`, body);

    test('A.create.4 Nested lines are created with their document, which has the totals', async () => {
      const [customer, item] = [await aCustomer(), await anItem()];
      const { status, body } = await make({
        customerId: customer.id,
        [lines]: [
          { itemId: item.id, quantity: 2 },
          { [itemNumber]: item.number, quantity: 3, unitPrice: 10, discountPercent: 10, description: 'Own' },
          { lineType: 'Comment', description: 'Fragile' },
        ],
      });
      const [one, two, three] = body[lines];

      expect([status, body.status]).toEqual([201, 'Draft']);
      expect(body[lines].map((line: Json) => line[lineNumber])).toEqual([10_000, 20_000, 30_000]);
      expect(one).toMatchObject({
        documentId: body.id,
        lineType: 'Item',
        [itemNumber]: item.number,
        description: item.displayName,
        unitOfMeasureCode: item.baseUnitOfMeasureCode,
        unitPrice: item.unitPrice,
        taxPercent: 6,
      });
      expect(two).toMatchObject({ itemId: item.id, description: 'Own', discountAmount: 3, netAmount: 27 });
      expect(two).toMatchObject({ totalTaxAmount: 1.62, amountIncludingTax: 28.62 });
      expect(three).toMatchObject({ lineType: 'Comment', amountIncludingTax: 0 });
      expect(body.totalAmountExcludingTax).toBeCloseTo(2 * item.unitPrice + 27, 2);
      expect(body.totalAmountIncludingTax).toBeCloseTo(body.totalAmountExcludingTax + body.totalTaxAmount, 2);
    });

    test('A.create.2 Names, addresses, terms and currency come from the customer, unless they are given', async () => {
      const [customer, payer] = [await aCustomer("country ne ''"), await aCustomer('taxLiable eq false')];
      const { body } = await make({ customerNumber: customer.number.toLowerCase(), shipToName: 'Own' });
      const paid = await make({ customerId: customer.id, billToCustomerNumber: payer.number });

      expect(body).toMatchObject({
        customerId: customer.id,
        customerName: customer.displayName,
        billToCustomerId: customer.id,
        billToCity: customer.city,
        shipToName: 'Own',
        sellToAddressLine1: customer.addressLine1,
        currencyCode: customer.currencyCode,
        paymentTermsId: customer.paymentTermsId,
      });
      expect(paid.body).toMatchObject({ customerName: customer.displayName, billToName: payer.displayName });
    });

    test.each<[string, Json]>([
      ['A.create.7', { quantity: 1 }],
      ['A.create.8', { lineType: 'Comment', colour: 'red' }],
      ['A.create.9', { lineType: 'Comment', quantity: '1' }],
      ['A.create.10', { lineType: 'Gift' }],
      ['A.create.11', { lineType: 'Comment', amountIncludingTax: 1 }],
      ['A.create.6', { itemId: nobody }],
      ['A.create.34', { lineType: 'Comment', description: 'x'.repeat(101) }],
      ['A.create.34', { lineType: 'Comment', unitOfMeasureCode: 'NOPE' }],
      ['A.create.34', { lineType: 'Comment', taxCode: 'NOPE' }],
    ])('%s A line %j is 400 and creates nothing at all', async (_id, line) => {
      const [{ id: customerId }, { id: itemId }] = [await aCustomer(), await anItem()];
      const before = await sandbox.count(path);

      expect((await make({ customerId, [lines]: [{ itemId, quantity: 1 }, line] })).status).toBe(400);
      expect(await sandbox.count(path)).toBe(before);
    });

    test('A.create.36 The reference of a line determines its type, and lines are a list', async () => {
      const [{ id: customerId }, { id: itemId }] = [await aCustomer(), await anItem()];
      const account = await sandbox.first('accounts', "number eq '4090'");
      const given = { accountId: account.id, unitPrice: 7, quantity: 1 };
      const line = dialect === 'document' ? given : { ...given, lineObjectNumber: '4090' };
      const made = await make({ customerId, [lines]: [line] });

      expect(made.body[lines][0]).toMatchObject({ lineType: 'Account', accountId: account.id, netAmount: 7 });
      for (const wrong of [null, {}, [{ ...line, itemId }]])
        expect((await make({ customerId, [lines]: wrong })).status).toBe(400);
    });
  });
});
