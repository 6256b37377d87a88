import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });
const mixed = useSandbox({ chosenIds: { items: 'refuse', salesOrders: 'drop' } });

const nobody = '11111111-1111-4111-8111-111111111111';
const customer = { displayName: 'Brindle Trading' };
const refused = (code: string) => ({ status: 400, body: { error: { code } } });

describe.each([
  ['document', document],
  ['dynamics', dynamics],
] as const)('create in %s', (dialect, sandbox) => {
  const [itemNumber, lineNumber] =
    dialect === 'document' ? ['itemNo', 'lineNo'] : ['lineObjectNumber', 'sequence'];
  const anItem = () => sandbox.first('items', "taxGroupCode eq 'FURNITURE'");
  const aCustomer = (filter = 'taxLiable eq true') => sandbox.first('customers', filter);

  test('A.create.19 An omitted number is the next free one of the series, and no number is assigned twice', async () => {
    const path = `${company}/customers`;
    const first = await sandbox.post(path, customer);
    await sandbox.send('DELETE', `${path}(${first.body.id})`);
    const second = await sandbox.post(path, { ...customer, number: '' });
    const own = await sandbox.post(path, { ...customer, number: ` own-1${' '.repeat(3)}` });

    expect([first, second, own].map(({ body }) => body.number)).toEqual(['C13000', 'C13010', ' OWN-1']);
  });

  test.each([
    ['A.create.23', 'customers', { city: 'Oslo' }, 'Application_DialogException'],
    ['A.create.21', 'customers', { displayName: 'X', colour: 'red' }, 'BadRequest'],
    ['A.create.26', 'customers', { displayName: 'X', paymentTermsId: nobody }, 'Application_DialogException'],
    ['A.create.37', 'customers', { displayName: 'X', country: 'xq' }, 'Internal_InvalidTableRelation'],
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

    test.each<[string, Json]>([
      ['A.create.8', { lineType: 'Comment', colour: 'red' }],
      ['A.create.6', { itemId: nobody }],
      ['A.create.34', { lineType: 'Comment', description: 'x'.repeat(101) }],
    ])('%s A line %j is 400 and creates nothing at all', async (_id, line) => {
      const [{ id: customerId }, { id: itemId }] = [await aCustomer(), await anItem()];
      const before = await sandbox.count(path);

      expect((await make({ customerId, [lines]: [{ itemId, quantity: 1 }, line] })).status).toBe(400);
      expect(await sandbox.count(path)).toBe(before);
    });
  });
});

const chosen = '0d0a5c11-57ce-4f42-9c3b-5a4d6f0f8a10';
const bodies: Readonly<Record<string, object>> = {
  customers: customer,
  items: { displayName: 'Shelf' },
  salesOrders: { customerNumber: 'C10000' },
  employees: { givenName: 'Ada' },
};
const createChosen = (set: string) => mixed.post(`${company}/${set}`, { id: chosen, ...bodies[set] });

test('A.chosen.5 Sets differ, at the start and at run time, and a reset restores them', async () => {
  const before = await mixed.count(`${company}/items`);
  const refused = { status: 400, body: { error: { code: 'BadRequest_InvalidOperation' } } };
  const isKept = async (set: string) => (await createChosen(set)).body.id === chosen;
  expect(await createChosen('items')).toMatchObject(refused);
  expect(await mixed.count(`${company}/items`)).toBe(before);
  expect([await isKept('customers'), await isKept('salesOrders')]).toEqual([true, false]);

  expect((await mixed.post('/sandbox/chosen-ids', { items: 'honour', employees: 'drop' })).status).toBe(204);
  expect([await isKept('items'), await isKept('employees')]).toEqual([true, false]);
  await mixed.post('/sandbox/reset');
  expect(await createChosen('items')).toMatchObject(refused);
  expect(await isKept('employees')).toBe(true);
});
