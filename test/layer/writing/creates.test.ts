import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const inDocument = testWith({ dialect: 'document' }, { BUSINESS_DIALECT: 'document' });
const inDynamics = testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' });
const dialects = [
  ['document', inDocument],
  ['dynamics', inDynamics],
] as const;

type Values = Readonly<Record<string, unknown>>;

const id = '00c0ffee-0000-4000-8000-000000000001';

async function create(layer: TestLayer, type: string, fields: string, input: Values) {
  const { data, errors } = await layer.query(
    `mutation ($input: Create${type}Input!) { done: create${type}(input: $input) {
      record: ${type.charAt(0).toLowerCase()}${type.slice(1)} { ${fields} } userErrors { code message path upstream { code message } }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.done;
}

const postsOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

describe.each(dialects)('in the dialect %s', (_dialect, test) => {
  test.for([
    ['Customer', { displayName: 'Fram' }],
    ['Item', {}],
    ['Employee', {}],
  ] as const)(
    'a new %s has the number and the id that the input gives',
    async ([type, least], { layer, sandbox }) => {
      const { record, userErrors } = await create(layer, type, 'id number', {
        ...least,
        id,
        number: 'own-7',
      });

      expect(userErrors).toEqual([]);
      expect(record).toEqual({ id, number: 'OWN-7' });
      expect(await postsOf(sandbox)).toEqual([{ ...least, id, number: 'own-7' }]);
    },
  );

  test.for([
    ['Customer', 'C13000', { displayName: 'Fram' }],
    ['Item', '1480', {}],
    ['Employee', 'E041', {}],
    ['SalesOrder', 'S-ORD101241', { customerNumber: 'C10000' }],
    ['SalesQuote', 'S-QUO1061', { customerNumber: 'C10000' }],
  ] as const)(
    'a new %s without a number has the next of the series, %s',
    async ([type, number, least], { layer, sandbox }) => {
      const { record, userErrors } = await create(layer, type, 'id number', least);

      expect(userErrors).toEqual([]);
      expect(record.number).toBe(number);
      expect(await sandbox.calls()).toHaveLength(1);
    },
  );

  test('what a template sets on a new customer or item is returned with it', async ({ layer }) => {
    const customer = await create(
      layer,
      'Customer',
      'type taxAreaDisplayName paymentTerm { code } shipmentMethod { code } currencyCode blocked',
      { displayName: 'Fram' },
    );
    const item = await create(
      layer,
      'Item',
      'type baseUnitOfMeasureCode generalProductPostingGroupCode inventoryPostingGroupCode unitOfMeasure { code } inventory blocked',
      { displayName: 'Oak stool' },
    );
    const service = await create(layer, 'Item', 'type inventoryPostingGroupCode', { type: 'Service' });

    expect(customer.record).toEqual({
      type: 'Company',
      taxAreaDisplayName: 'Coastal counties',
      paymentTerm: { code: '30D' },
      shipmentMethod: { code: 'EXW' },
      currencyCode: 'USD',
      blocked: null,
    });
    expect(item.record).toEqual({
      type: 'Inventory',
      baseUnitOfMeasureCode: 'PCS',
      generalProductPostingGroupCode: 'RETAIL',
      inventoryPostingGroupCode: 'RESALE',
      unitOfMeasure: { code: 'PCS' },
      inventory: '0',
      blocked: false,
    });
    expect(service.record).toEqual({ type: 'Service', inventoryPostingGroupCode: null });
  });

  test('a new order has the names, addresses and terms of its customer, except where the input sets them', async ({
    layer,
  }) => {
    const own = 'currencyId paymentTermsId shipmentMethodId email';
    const found = await layer.query(
      `{ company { customers(filter: { number: { eq: "C10030" } }) { nodes { id displayName city ${own} } } } }`,
    );
    const { id: customerId, displayName, city, ...terms } = found.data.company.customers.nodes[0];

    const { record, userErrors } = await create(
      layer,
      'SalesOrder',
      `status customerName sellToCity shipToCity orderDate partialShipping customer { id } documentLines { id } ${own}`,
      { customerId, shipToCity: 'Narvik', orderDate: '2026-03-01' },
    );

    expect(userErrors).toEqual([]);
    expect(record).toEqual({
      status: 'Draft',
      customerName: displayName,
      sellToCity: city,
      shipToCity: 'Narvik',
      orderDate: '2026-03-01',
      partialShipping: true,
      customer: { id: customerId },
      documentLines: [],
      ...terms,
    });
  });

  test('the digits given in a create are sent and read back unchanged, in lines as well', async ({
    layer,
    sandbox,
  }) => {
    const long = '12345678901234567890.123456789';
    const customer = await create(layer, 'Customer', 'creditLimit', {
      displayName: 'Fram',
      creditLimit: long,
    });
    const item = await create(layer, 'Item', 'unitPrice unitCost', {
      unitPrice: '4000.50',
      unitCost: '0.10',
    });
    const order = await create(layer, 'SalesOrder', 'documentLines { quantity unitPrice }', {
      customerNumber: 'C10000',
      documentLines: [
        { lineType: 'Item', itemNo: '1004', quantity: '1.50', unitPrice: '1234567890123456.789' },
      ],
    });

    expect(customer.record).toEqual({ creditLimit: long });
    expect(item.record).toEqual({ unitPrice: '4000.5', unitCost: '0.1' });
    expect(order.record.documentLines).toEqual([{ quantity: '1.5', unitPrice: '1234567890123456.789' }]);
    const bodies = (await sandbox.calls()).map(({ body }) => body);
    expect(bodies[0]).toContain(`"creditLimit":${long}`);
    expect(bodies[1]).toContain('"unitPrice":4000.50,"unitCost":0.10');
    expect(bodies[2]).toContain('"quantity":1.50,"unitPrice":1234567890123456.789');
  });

  test.for([
    ['Customer', { displayName: 'Fram', number: 'C10000' }, 'ALREADY_EXISTS', null],
    ['Customer', { displayName: ' ' }, 'REFUSED', ['input', 'displayName']],
    ['Customer', { displayName: 'Fram', type: null }, 'INVALID_INPUT', ['input', 'type']],
    ['Item', { number: '1000' }, 'ALREADY_EXISTS', null],
    ['Item', { itemCategoryCode: 'NO-SUCH' }, 'REFUSED', ['input', 'itemCategoryCode']],
    ['Employee', { status: null }, 'INVALID_INPUT', ['input', 'status']],
    ['SalesOrder', { customerNumber: 'C10000', number: 'OWN-7' }, 'REFUSED', null],
    ['SalesOrder', { customerNumber: 'NO-SUCH' }, 'REFUSED', ['input', 'customerNumber']],
  ] as const)(
    'a new %s of %j is %s and is not created',
    async ([type, input, code, path], { layer, sandbox }) => {
      const isSent = code !== 'INVALID_INPUT';
      const { record, userErrors } = await create(layer, type, 'id', { id, ...input });

      // Of a number that is taken, the record that has it.
      expect(record?.id).not.toBe(id);
      expect(record !== null).toBe(code === 'ALREADY_EXISTS');
      expect(userErrors).toMatchObject([
        { code, path, upstream: isSent ? { code: expect.any(String) } : null },
      ]);
      expect(await sandbox.calls()).toHaveLength(isSent ? (code === 'ALREADY_EXISTS' ? 3 : 1) : 0);
    },
  );

  test('a record is created in the given company', async ({ layer, sandbox }) => {
    const { data } = await layer.query('{ companies { nodes { id } } }');
    const companyId = data.companies.nodes.find((one: Values) => one.id !== sandboxCompanyId).id;
    await sandbox.forgetCalls();

    const { record } = await create(
      layer,
      'Item',
      'companyId company { item(id: "00c0ffee-0000-4000-8000-000000000001") { id } }',
      { companyId, id },
    );

    expect(record).toEqual({ companyId, company: { item: { id } } });
    expect((await sandbox.calls())[0]?.path).toBe(`/api/v2.0/companies(${companyId})/items`);
  });
});

/** A layer that knows nothing yet of what becomes of ids, in front of a sandbox that does this with those of customers. */
async function withIds(
  sandbox: TestSandbox,
  policy: string,
  settings: Readonly<Record<string, string>> = {},
) {
  await sandbox.send('POST', '/sandbox/chosen-ids', { customers: policy });
  const layer = await startTestLayer(sandbox.url, settings);
  const make = (input: Values = {}) => create(layer, 'Customer', 'id', { displayName: 'Fram', ...input });
  return { make, stop: layer.stop };
}

inDocument.for([
  ['honour', [true, true, true]],
  ['drop', [true, false, true]],
  ['refuse', [true, false, false, true]],
] as const)(
  'where the upstream’s policy for client-supplied ids is %s, a create carries an id while it may be kept, and is executed once',
  async ([policy, carried], { sandbox }) => {
    const { make, stop } = await withIds(sandbox, policy);

    const results = [await make(), await make(), await make({ id })];
    await stop();

    const isRefused = policy === 'refuse';
    const [first, second, own] = results;
    expect(own.userErrors).toMatchObject(isRefused ? [{ code: 'INVALID_INPUT' }] : []);
    expect([first.userErrors, second.userErrors]).toEqual([[], []]);
    expect(own.record?.id === id).toBe(policy === 'honour');
    const sent = (await postsOf(sandbox)).map((body) => body.id);
    expect(sent.map((one) => one !== undefined)).toEqual(carried);
    expect(first.record.id === sent[0]).toBe(policy === 'honour');
    expect(sent.at(-1)).toBe(id);
  },
);

inDocument(
  "with BUSINESS_CHOSEN_IDS=off a create carries the caller's id and no other",
  async ({ sandbox }) => {
    const { make, stop } = await withIds(sandbox, 'honour', { BUSINESS_CHOSEN_IDS: 'off' });

    const results = [await make(), await make({ id }), await make({ id })];
    await stop();

    expect((await postsOf(sandbox)).map((body) => body.id)).toEqual([undefined, id, id]);
    expect(results[1]).toEqual({ record: { id }, userErrors: [] });
    expect(results[2]).toMatchObject({ record: { id }, userErrors: [{ code: 'ALREADY_EXISTS' }] });
  },
);
