import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const unset = '00000000-0000-0000-0000-000000000000';
const refused = (code: string) => ({ status: 400, body: { error: { code } } });

describe.each([
  ['document', document],
  ['dynamics', dynamics],
] as const)('values of a new record in %s', (_dialect, sandbox) => {
  const count = (set: string) => sandbox.count(`${company}/${set}`);
  const codeOf = async (set: string, id: string) =>
    (await sandbox.get(`${company}/${set}(${id})?$select=code`)).body.code;

  test.each([[{}], [{ displayName: '' }], [{ displayName: '   ', city: 'Oslo' }]])(
    'A.create.23 A customer without a name, %j, is refused',
    async (body) => {
      const reply = await sandbox.post(`${company}/customers`, body);

      expect(reply).toMatchObject(refused('Application_DialogException'));
      expect(reply.body.error.message).toMatch(/^A "displayName" must be provided\./);
    },
  );

  test('A.create.24 Omitted fields of a customer are blank or come from the template', async () => {
    const { body } = await sandbox.post(`${company}/customers`, { displayName: 'Brindle Trading' });

    expect(body).toMatchObject({
      type: 'Company',
      city: '',
      creditLimit: 0,
      balanceDue: 0,
      taxLiable: false,
    });
    expect(body).toMatchObject({ currencyId: unset, currencyCode: 'USD', paymentMethodId: unset });
    expect(body.taxAreaDisplayName).toBe('Coastal counties');
    expect(body.blocked).toMatch(/^( |_x0020_)$/);
    expect(await codeOf('paymentTerms', body.paymentTermsId)).toBe('30D');
    expect(await codeOf('shipmentMethods', body.shipmentMethodId)).toBe('EXW');
  });

  test('A.create.25 Values of a customer are stored as a PATCH stores them', async () => {
    const [euro] = await sandbox.list(`${company}/currencies?$filter=code eq 'EUR'`);
    const [inland] = await sandbox.list(`${company}/taxAreas?$filter=code eq 'INLAND'`);
    const { body } = await sandbox.post(`${company}/customers`, {
      displayName: ' Two  words  ',
      number: 'b-7',
      country: 'de',
      currencyCode: 'eur',
      taxAreaId: inland.id.toUpperCase(),
      paymentTermsId: unset,
    });

    expect(body).toMatchObject({ displayName: ' Two  words', number: 'B-7', country: 'DE' });
    expect(body).toMatchObject({ currencyCode: 'EUR', currencyId: euro.id });
    expect(body).toMatchObject({ taxAreaId: inland.id, taxAreaDisplayName: inland.displayName });
    expect(body.paymentTermsId).toBe(unset);
  });

  test.each([
    ['customers', { displayName: 'X', email: 'nobody' }],
    ['customers', { displayName: 'X', paymentTermsId: '11111111-1111-4111-8111-111111111111' }],
    ['customers', { displayName: 'X', currencyCode: 'XYZ' }],
    ['customers', { displayName: 'X', currencyCode: 'EUR', currencyId: unset }],
    ['items', { displayName: 'X', itemCategoryCode: 'NOPE' }],
  ])('A.create.26 Creating %s with %j is refused by a rule, and nothing is created', async (set, body) => {
    const before = await count(set);

    expect(await sandbox.post(`${company}/${set}`, body)).toMatchObject(
      refused('Application_DialogException'),
    );
    expect(await count(set)).toBe(before);
  });

  test('A.create.27 Category, tax group and unit of an item set each other by id and by code', async () => {
    const [table] = await sandbox.list(`${company}/itemCategories?$filter=code eq 'TABLE'`);
    const byCode = await sandbox.post(`${company}/items`, {
      displayName: 'Shelf',
      itemCategoryCode: 'table',
      taxGroupCode: 'furniture',
    });
    const byId = await sandbox.post(`${company}/items`, {
      displayName: 'Visit',
      type: 'Service',
      itemCategoryId: table.id,
      baseUnitOfMeasureCode: 'HOUR',
    });

    expect(byCode.body).toMatchObject({ itemCategoryId: table.id, itemCategoryCode: 'TABLE' });
    expect(byCode.body).toMatchObject({
      taxGroupCode: 'FURNITURE',
      baseUnitOfMeasureCode: 'PCS',
      inventory: 0,
    });
    expect(byCode.body.taxGroupId).not.toBe(unset);
    expect(byCode.body).toMatchObject({
      type: 'Inventory',
      generalProductPostingGroupCode: 'RETAIL',
      inventoryPostingGroupCode: 'RESALE',
    });
    expect(byId.body).toMatchObject({
      type: 'Service',
      itemCategoryCode: 'TABLE',
      baseUnitOfMeasureCode: 'HOUR',
    });
    expect(byId.body).toMatchObject({ inventoryPostingGroupCode: '', inventoryPostingGroupId: unset });
  });

  test.each([0, 12])('A.create.28 An item with an inventory of %i is refused', async (inventory) => {
    const before = await count('items');
    const reply = await sandbox.post(`${company}/items`, { displayName: 'Shelf', inventory });

    expect(reply).toMatchObject(refused('Application_DialogException'));
    expect(reply.body.error.message).toMatch(/^Inventory cannot be changed during on insert\./);
    expect(await count('items')).toBe(before);
  });

  test("A.create.29 An employee's displayName is composed of the names, and the status is Active", async () => {
    const path = `${company}/employees`;
    const { body } = await sandbox.post(path, { number: 'ah', givenName: 'Annette', surname: 'Hill' });
    const nameless = await sandbox.post(path, { middleName: 'M.' });

    expect(body).toMatchObject({ number: 'AH', displayName: 'Annette Hill', status: 'Active' });
    expect(body).toMatchObject({ employmentDate: '0001-01-01', terminationDate: '0001-01-01' });
    expect(nameless.body.displayName).toBe('');
  });

  test('A.create.30 A new customer can be found, updated and sold to', async () => {
    const customer = (await sandbox.post(`${company}/customers`, { displayName: 'Brindle Trading' })).body;
    const path = `${company}/customers(${customer.id})`;
    const changed = await sandbox.patch(path, customer['@odata.etag'], { city: 'Oslo' });
    const order = await sandbox.post(`${company}/salesOrders`, { customerNumber: customer.number });

    expect(changed).toMatchObject({ status: 200, body: { city: 'Oslo' } });
    expect(await sandbox.list(`${company}/customers?$filter=displayName eq 'Brindle Trading'`)).toHaveLength(
      1,
    );
    expect(order).toMatchObject({ status: 201, body: { customerId: customer.id, sellToCity: 'Oslo' } });
  });

  test('A.create.31 A price of nineteen digits is kept digit by digit', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = '{"displayName":"Shelf","unitPrice":1234567890123456.789}';
    const reply = await sandbox.send('POST', `${company}/items`, { headers, body });

    expect(reply.text).toContain('"unitPrice":1234567890123456.789');
  });

  test('A.create.32 Every record has an id of its own, in each company', async () => {
    const [, other] = await sandbox.list('/api/v2.0/companies');
    const roots = [company, company, `/api/v2.0/companies(${other.id})`];
    const made = [];
    for (const root of roots) made.push(await sandbox.post(`${root}/customers`, { displayName: 'Twin' }));

    expect(new Set(made.map(({ body }) => body.id)).size).toBe(3);
    expect(made[2]?.body.currencyCode).toBe('DKK');
  });
});
