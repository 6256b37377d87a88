import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

/** The fields that hold one record of a type, and a list of them. */
const fieldsOf = {
  Customer: ['customer', 'customers'],
  Item: ['item', 'items'],
  Employee: ['employee', 'employees'],
  SalesOrder: ['salesOrder', 'salesOrders'],
} as const;

type Type = keyof typeof fieldsOf;

const inDocument = testWith({}, {});
const inDynamics = testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' });

/** The first record of a type. */
async function recordOf(layer: TestLayer, type: Type): Promise<{ id: string; etag: string }> {
  const list = `{ company { list: ${fieldsOf[type][1]}(first: 1) { nodes { id etag } } } }`;
  return (await layer.query(list)).data.company.list.nodes[0];
}

async function update(layer: TestLayer, type: Type, input: object, fields: readonly string[] = []) {
  const { data, errors } = await layer.query(
    `mutation ($input: Update${type}Input!) { payload: update${type}(input: $input) {
      record: ${fieldsOf[type][0]} { id etag ${fields.join(' ')} } userErrors { code }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.payload;
}

const methods = async (sandbox: TestSandbox) => (await sandbox.calls()).map(({ method }) => method);

// What is wanted, and what the upstream makes of it: null where it is the same.
const held: readonly (readonly [Type, object, object | null])[] = [
  ['Customer', { displayName: 'Ærlig & Søn' }, null],
  ['Customer', { displayName: 'Brindle  ', addressLine1: 'A b \t' }, { displayName: 'Brindle' }],
  ['Customer', { country: 'dk', postalCode: 'dk-1050 ' }, { country: 'DK', postalCode: 'DK-1050' }],
  ['Customer', { creditLimit: '4000.50' }, { creditLimit: '4000.5' }],
  ['Customer', { creditLimit: '0.00' }, { creditLimit: '0' }],
  ['Customer', { creditLimit: '1234567890123456.7890' }, null],
  ['Customer', { website: null, addressLine2: '', salespersonCode: null }, { website: null }],
  ['Customer', { currencyId: null, paymentTermsId: null }, { currencyId: null, paymentTermsId: null }],
  ['Customer', { blocked: null }, { blocked: null }],
  ['Customer', { blocked: 'Invoice', type: 'Person', taxLiable: false }, null],
  ['Item', { type: 'Non-Inventory', gtin: 'ab-1 ', unitPrice: '10' }, { gtin: 'AB-1', unitPrice: '10' }],
  ['Item', { baseUnitOfMeasureCode: 'pcs', blocked: true }, { baseUnitOfMeasureCode: 'PCS' }],
  ['Employee', { birthDate: '1990-02-28', terminationDate: null }, null],
  ['Employee', { status: 'Inactive', statisticsGroupCode: null }, { status: 'Inactive' }],
  [
    'SalesOrder',
    { externalDocumentNumber: 'po-7', postingDate: '2026-03-01' },
    { externalDocumentNumber: 'PO-7' },
  ],
];

describe.each([
  ['document', inDocument],
  ['dynamics', inDynamics],
] as const)('in the dialect %s', (_dialect, test) => {
  test.for(held)(
    'a lost update of a %s to %j counts as applied in the form that the upstream stores',
    async ([type, patch, shown], { layer, sandbox }) => {
      const { id, etag: ifMatch } = await recordOf(layer, type);
      await sandbox.forgetCalls();
      await sandbox.fault({ method: 'PATCH', reset: 'after' });

      const { record, userErrors } = await update(
        layer,
        type,
        { id, ifMatch, patch },
        Object.keys(shown ?? patch),
      );

      expect(userErrors).toEqual([]);
      expect(record).toMatchObject({ id, ...(shown ?? patch) });
      expect(record.etag).not.toBe(ifMatch);
      expect(await methods(sandbox)).toEqual(['PATCH', 'GET']);
    },
  );

  test.for([
    ['a text that differs by case', { displayName: 'Brindle' }, { displayName: 'BRINDLE' }],
    ['a text that is cut', { displayName: 'Brindle & Co' }, { displayName: 'Brindle' }],
    ['a value where none is wanted', { website: null }, { website: 'example.com' }],
    ['none where a value is wanted', { website: 'example.com' }, { website: '' }],
    ['another digit', { creditLimit: '4000.50' }, { creditLimit: 4000.05 }],
    ['another word', { blocked: 'Ship' }, { blocked: 'All' }],
    ['one of two', { city: 'Oslo', state: 'X' }, { city: 'Oslo', state: 'Y' }],
  ] as const)(
    'a record that holds %s does not confirm the lost update: OUTCOME_UNKNOWN',
    async ([_what, patch, written], { layer, sandbox }) => {
      const { id, etag: ifMatch } = await recordOf(layer, 'Customer');
      const path = `/api/v2.0/companies(${sandboxCompanyId})/customers(${id})`;
      await sandbox.send('PATCH', path, written, { 'if-match': '*' });
      await sandbox.forgetCalls();
      await sandbox.fault({ method: 'PATCH', reset: 'before' });

      const payload = await update(layer, 'Customer', { id, ifMatch, patch });

      expect(payload).toMatchObject({ record: { id }, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
      expect(payload.record.etag).not.toBe(ifMatch);
      expect(await methods(sandbox)).toEqual(['PATCH', 'GET']);
    },
  );
});

inDynamics(
  'a lost enum value is compared in decoded form, though it is sent and returned as an XML name',
  async ({ layer, sandbox }) => {
    const { id, etag: ifMatch } = await recordOf(layer, 'Item');
    await sandbox.forgetCalls();
    await sandbox.fault({ method: 'PATCH', status: 504 });

    const payload = await update(layer, 'Item', { id, ifMatch, patch: { type: 'Non-Inventory' } }, ['type']);

    expect(payload).toMatchObject({ record: { type: 'Non-Inventory' }, userErrors: [] });
    const [first, , second] = await sandbox.calls();
    expect(JSON.parse(first?.body ?? '')).toEqual({ type: 'Non_x002D_Inventory' });
    expect(second?.body).toBe(first?.body);
    expect(await methods(sandbox)).toEqual(['PATCH', 'GET', 'PATCH']);
  },
);

inDocument(
  'a lost update whose values the record already held is retried once: a late first attempt finds the tag changed',
  async ({ layer, sandbox }) => {
    const { id, etag: ifMatch } = await recordOf(layer, 'Customer');
    const read = await layer.query(`{ company { customer(id: "${id}") { city country } } }`);
    await sandbox.forgetCalls();
    await sandbox.fault({ method: 'PATCH', reset: 'before' });

    const payload = await update(layer, 'Customer', { id, ifMatch, patch: read.data.company.customer });

    expect(payload).toMatchObject({ record: { id }, userErrors: [] });
    expect(payload.record.etag).not.toBe(ifMatch);
    expect(await methods(sandbox)).toEqual(['PATCH', 'GET', 'PATCH']);
  },
);

inDocument(
  'an update whose values the record already held, lost twice, is OUTCOME_UNKNOWN while the tag is unchanged',
  async ({ layer, sandbox }) => {
    const { id, etag: ifMatch } = await recordOf(layer, 'Customer');
    const read = await layer.query(`{ company { customer(id: "${id}") { city country } } }`);
    await sandbox.forgetCalls();
    await sandbox.fault({ method: 'PATCH', reset: 'before', times: 9 });

    const payload = await update(layer, 'Customer', { id, ifMatch, patch: read.data.company.customer });

    expect(payload).toEqual({ record: { id, etag: ifMatch }, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
    expect(await methods(sandbox)).toEqual(['PATCH', 'GET', 'PATCH', 'GET']);
  },
);
