import {
  type GraphQLInputObjectType,
  getNamedType,
  isInputObjectType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';

const schema = createSchema();
const { recordTypes } = productRecordTypes();
const capitalize = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function inputOf(name: string): GraphQLInputObjectType {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`${name} is no input`);
  return type;
}
const signatureOf = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.values(inputOf(name).getFields()).map((field) => [field.name, String(field.type)]),
  );

/** What the upstream alone writes of a customer, an employee and a line, beside what every record has. */
const readOnly = {
  Customer: ['balanceDue', 'taxAreaDisplayName', 'lastModifiedDateTime'],
  Employee: ['displayName', 'lastModifiedDateTime'],
  SalesQuoteLine: [
    ...['id', 'documentId', 'currencyCode', 'discountAppliedBeforeTax', 'taxPercent', 'amountExcludingTax'],
    ...['totalTaxAmount', 'amountIncludingTax', 'netAmount', 'netTaxAmount', 'netAmountIncludingTax'],
  ],
} as const;

/** The fields of a record that a caller can write, with their types, but for some. */
function writable(name: keyof typeof readOnly, ...but: string[]): Record<string, string> {
  const type = schema.getType(name);
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  const others: string[] = ['nodeId', 'companyId', 'id', 'etag', ...readOnly[name], ...but];
  expect(fields.map((field) => field.name)).toEqual(expect.arrayContaining([...readOnly[name]]));
  const columns = fields.filter(
    (field) => isLeafType(getNamedType(field.type)) && !others.includes(field.name),
  );
  return Object.fromEntries(columns.map((field) => [field.name, String(field.type)]));
}

const chosen = { companyId: 'UUID', id: 'UUID' };
const kept = ['lineType', 'lineNo', 'itemId', 'itemNo', 'accountId'];

test.each([
  ['CreateCustomerInput', { ...chosen, ...writable('Customer'), displayName: 'String!' }],
  ['CustomerPatch', writable('Customer')],
  ['CreateEmployeeInput', { ...chosen, ...writable('Employee') }],
  ['SalesQuoteLineInput', writable('SalesQuoteLine')],
  ['SalesQuoteLinePatch', writable('SalesQuoteLine', ...kept)],
])('%s has what can be written, and nothing that is read-only', (name, expected) => {
  expect(signatureOf(name)).toEqual(expected);
});

describe('a mutation', () => {
  const mutations = new Map(Object.entries(schema.getMutationType()?.getFields() ?? {}));
  const singles = recordTypes.flatMap(({ type, writes = [] }) => writes.map((write) => write + type));
  const actions = recordTypes.flatMap(({ actions: own = [] }) => own);
  const takesVersion = (name: string) =>
    name.startsWith('delete') || actions.some(({ mutation }) => mutation === name);

  test('takes an input, gives a payload, which may be null, and is there for every write of one record', () => {
    expect([...mutations.keys()]).toEqual(
      expect.arrayContaining([...singles, ...actions.map(({ mutation }) => mutation), 'batch']),
    );
    expect(singles).toHaveLength(36);
    for (const [name, { args, type }] of mutations) {
      const taken = takesVersion(name) ? 'RecordVersionInput' : `${capitalize(name)}Input`;
      expect(args.map((arg) => `${arg.name}: ${arg.type}`)).toEqual([`input: ${taken}!`]);
      expect(String(type)).toMatch(/^\w+Payload$/);
    }
  });

  test('batch takes entries of exactly one mutation of one record, with its input', () => {
    const inputs = singles.map((name) => [
      name,
      takesVersion(name) ? 'RecordVersionInput' : `${capitalize(name)}Input`,
    ]);

    expect(inputOf('BatchEntryInput').isOneOf).toBe(true);
    expect(signatureOf('BatchEntryInput')).toEqual(Object.fromEntries(inputs));
  });
});
