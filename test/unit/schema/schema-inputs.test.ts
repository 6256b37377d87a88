import {
  type GraphQLInputObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { productRecordTypes, readSchemaFiles } from '../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { collectDeclarations, columnsOf } from '../../../src/business/declarations/declarations.ts';
import { toOrderMembers } from '../../../src/business/reading/filters.ts';
import { withheldFields } from '../../../src/health/withheld-fields.ts';

const schema = createSchema();
const objectTypes = Object.values(schema.getTypeMap()).filter(isObjectType);
const listed = objectTypes
  .filter(({ name }) => name.endsWith('Connection'))
  .map(({ name }) => name.slice(0, -'Connection'.length));
const { recordTypes } = productRecordTypes();
const records = recordTypes.map(({ type }) => type);
const capitalize = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const declared = new Map(
  [...collectDeclarations(readSchemaFiles()).types.values()].map((type) => [type.name, type]),
);

function inputOf(name: string): GraphQLInputObjectType {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`${name} is no input`);
  return type;
}
const signatureOf = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.values(inputOf(name).getFields()).map((field) => [field.name, String(field.type)]),
  );
const filtersOf = (name: string): string[] =>
  Object.keys(signatureOf(`${name}Filter`)).filter((field) => !['and', 'or', 'not'].includes(field));
function membersOf(name: string): string[] {
  const type = schema.getType(`${name}Order`);
  return isEnumType(type) ? type.getValues().map((value) => value.name) : [];
}

test('every list takes a filter, whose conditions join by and, or and not, and an order up or down', () => {
  expect(listed).toEqual(expect.arrayContaining([...records, 'HealthEvent', 'VirtualInstance']));
  for (const name of listed) {
    const lists = objectTypes
      .flatMap((owner) => Object.values(owner.getFields()))
      .filter((field) => getNamedType(field.type).name === `${name}Connection`);
    for (const { args } of lists) {
      const signature = args.map((argument) => `${argument.name}: ${argument.type}`);
      expect(signature).toEqual(
        expect.arrayContaining([
          'first: Int',
          'after: String',
          `filter: ${name}Filter`,
          `orderBy: [${name}Order!]`,
        ]),
      );
    }
    expect(signatureOf(`${name}Filter`)).toMatchObject({
      and: `[${name}Filter!]`,
      or: `[${name}Filter!]`,
      not: `${name}Filter`,
    });
    const columns = membersOf(name).flatMap((member) => /^(.+)_ASC$/.exec(member)?.[1] ?? []);
    expect(columns.length, name).toBeGreaterThan(0);
    expect(membersOf(name)).toEqual(columns.flatMap((column) => [`${column}_ASC`, `${column}_DESC`]));
  }
});

test('records are filtered and sorted by every column that the upstream does not compute', () => {
  for (const name of records) {
    const type = declared.get(name);
    const columns = type ? columnsOf(type) : [];
    const namesOf = (isTaken: (column: (typeof columns)[number]['column']) => boolean) =>
      columns.filter(({ column }) => isTaken(column)).map((column) => column.name);

    expect(filtersOf(name).filter((field) => field !== 'id')).toEqual(
      namesOf(({ filter }) => filter).filter((field) => field !== 'id'),
    );
    expect(membersOf(name).filter((member) => !/^ID_/.test(member))).toEqual(
      namesOf(({ sort }) => sort)
        .filter((field) => field !== 'id')
        .flatMap(toOrderMembers),
    );
  }
});

test('health events are filtered by what a list holds of every event, and by where they have effects', () => {
  const filters = filtersOf('HealthEvent');

  expect(filters).toEqual(expect.arrayContaining(['impactedService', 'impactedRegion', 'isEventSensitive']));
  expect(filters.filter((field) => withheldFields.some((name) => name === field))).toEqual([]);
  expect(membersOf('HealthEvent')).toContain('PRIORITY_ASC');
  expect(filters.flatMap(toOrderMembers)).toEqual(expect.arrayContaining(membersOf('HealthEvent')));
});

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
