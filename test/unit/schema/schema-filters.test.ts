import {
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { productRecordTypes, readSchemaFiles } from '../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';
import {
  collectDeclarations,
  columnsOf as declaredColumnsOf,
} from '../../../src/business/declarations/declarations.ts';
import { toEnumMember, toOrderMembers } from '../../../src/business/reading/filters.ts';
import { isWord } from '../../../src/business/record-set.ts';
import { withheldFields } from '../../../src/health/withheld-fields.ts';

const { recordTypes } = productRecordTypes();

const schema = createSchema();
const objectTypes = Object.values(schema.getTypeMap()).filter(isObjectType);

const columns = [...collectDeclarations(readSchemaFiles()).types.values()].map(
  (type) => [type.name, declaredColumnsOf(type)] as const,
);
/** By type, the columns that lists cannot be filtered by, and those that they cannot be sorted by. */
const unfiltered = new Map(
  columns.map(([type, all]) => [type, all.filter(({ column }) => !column.filter).map(({ name }) => name)]),
);
const unsorted = new Map(
  columns.map(([type, all]) => [type, all.filter(({ column }) => !column.sort).map(({ name }) => name)]),
);

/** Columns with words of the upstream. */
const words = new Map(
  recordTypes.map(({ type, fields }) => [type, Object.keys(fields).filter((name) => isWord(fields[name]))]),
);

/** Those of areas B and C. */
const wordsOfManagement = ['environment', 'health', 'product', 'state', 'status'];

// Not columns: a node id is made of type and key, the company is in the address, the tag in an annotation.
const besideColumns = new Set(['nodeId', 'companyId', 'etag']);
/** What the upstream keeps elsewhere than in the record. */
const readApart = new Set(['Company.homeCurrencyCode']);
const joints = ['and', 'or', 'not'];

function inputOf(name: string): GraphQLInputObjectType {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`${name} is no input`);
  return type;
}

const signatureOf = (type: GraphQLInputObjectType) =>
  Object.fromEntries(Object.values(type.getFields()).map((field) => [field.name, String(field.type)]));

const filtersOf = (name: string): string[] =>
  Object.keys(inputOf(`${name}Filter`).getFields()).filter((field) => !joints.includes(field));

function membersOf(name: string): string[] {
  const type = schema.getType(name);
  return isEnumType(type) ? type.getValues().map((value) => value.name) : [];
}

const columnsOf = (type: GraphQLObjectType): string[] => {
  const fields = type.getFields();
  const isRaw = (name: string) => name.endsWith('Raw') && fields[name.slice(0, -'Raw'.length)] !== undefined;
  return Object.values(fields)
    .filter((field) => isLeafType(getNamedType(field.type)) && !besideColumns.has(field.name))
    .map(({ name }) => name)
    .filter((name) => !isRaw(name) && !readApart.has(`${type.name}.${name}`));
};

// A list of health events can be filtered by what hangs below them.
const fieldsOfImpact = Object.fromEntries(
  [
    ['HealthEventImpact', 'impactedService'],
    ['HealthEventRegion', 'impactedRegion'],
  ].map(([type = '', field = '']) => [field, (schema.getType(type) as GraphQLObjectType).getFields()[field]]),
);

const listed = objectTypes
  .filter(({ name }) => name.endsWith('Connection'))
  .map(({ name }) => schema.getType(name.slice(0, -'Connection'.length)) as GraphQLObjectType);
/** What Tributary itself filters and sorts: resource-kinds.test.ts has the fields of area B. */
const heldInMemory = [
  'ApplicationInstance',
  'CentralInstance',
  'DatabaseInstance',
  'HealthEvent',
  'HealthEventImpactedResource',
  'ManagementSubscription',
  'VirtualInstance',
];
/** What the upstream filters and sorts. */
const records = listed.filter(({ name }) => !heldInMemory.includes(name));

test('every record of area A, the companies, the instances and the health events have lists', () => {
  expect(listed.length).toBe(records.length + heldInMemory.length);
  expect(records.map(({ name }) => name).sort()).toEqual(recordTypes.map(({ type }) => type).sort());
});

describe.each(listed.map((type) => [type.name, type] as const))('the lists of %s', (name, type) => {
  test('take a filter and an order, and may do without', () => {
    const lists = objectTypes
      .flatMap((owner) => Object.values(owner.getFields()))
      .filter((field) => getNamedType(field.type).name === `${name}Connection`);

    expect(lists.length).toBeGreaterThan(0);
    for (const { args } of lists) {
      const signature = args.map((argument) => `${argument.name}: ${argument.type}`);
      const from = signature.indexOf('first: Int');
      expect(signature.slice(from, from + 4)).toEqual([
        'first: Int',
        'after: String',
        `filter: ${name}Filter`,
        `orderBy: [${name}Order!]`,
      ]);
    }
  });

  test('compare a field with values of its own type', () => {
    const { and, or, not, ...leaves } = signatureOf(inputOf(`${name}Filter`));
    const fields = { ...type.getFields(), ...(name === 'HealthEvent' ? fieldsOfImpact : {}) };

    for (const [field, filter] of Object.entries(leaves)) {
      const value = getNamedType(fields[field]?.type);
      // Enums are found by their words.
      const isChoice = isEnumType(value) || (words.get(name) ?? wordsOfManagement).includes(field);
      const operand = isChoice ? 'String' : value?.name;
      expect(`${field}: ${filter}`).toBe(`${field}: ${isChoice ? 'Word' : value?.name}Filter`);
      expect(signatureOf(inputOf(filter))).toMatchObject({ eq: operand, ne: operand });
    }
  });

  test('join conditions by and, or and not', () => {
    expect(signatureOf(inputOf(`${name}Filter`))).toMatchObject({
      and: `[${name}Filter!]`,
      or: `[${name}Filter!]`,
      not: `${name}Filter`,
    });
  });

  test('sort by each column upwards and downwards', () => {
    const members = membersOf(`${name}Order`);

    expect(members.length).toBeGreaterThan(0);
    expect(members).toEqual(
      members
        .filter((member) => member.endsWith('_ASC'))
        .flatMap((member) => [member, member.replace(/ASC$/, 'DESC')]),
    );
  });
});

describe.each(records.map((type) => [type.name, type] as const))('the records of type %s', (name, type) => {
  test('are filtered by every column that the upstream does not compute', () => {
    const own = new Set(unfiltered.get(name));

    expect(filtersOf(name)).toEqual(columnsOf(type).filter((column) => !own.has(column)));
  });

  test('are sorted by what they are filtered by, where the upstream does not tell them apart', () => {
    const own = new Set(unsorted.get(name));
    const sorted = columnsOf(type).filter((column) => !own.has(column));

    expect(membersOf(`${name}Order`)).toEqual(sorted.flatMap(toOrderMembers));
  });
});

describe('health events', () => {
  const columns = columnsOf(schema.getType('HealthEvent') as GraphQLObjectType);
  // The same for all events, or but another form of the tracking id.
  const names = ['scope', 'id', 'name', 'type', 'location'];

  test('are filtered by whatever a list holds of every event, and by where they have effects', () => {
    const held = columns.filter((column) => !withheldFields.some((name) => name === column));

    expect(held.length).toBeLessThan(columns.length);
    expect(filtersOf('HealthEvent')).toEqual([
      ...held.filter((column) => !names.includes(column)),
      ...Object.keys(fieldsOfImpact),
    ]);
  });

  test('are sorted by some of what they are filtered by, and by what is urgent', () => {
    const members = membersOf('HealthEventOrder');

    expect(members).toContain('PRIORITY_ASC');
    expect(filtersOf('HealthEvent').flatMap(toOrderMembers)).toEqual(expect.arrayContaining(members));
  });
});

describe('what the upstream computes row by row', () => {
  const places = [...unfiltered].flatMap(([name, fields]) =>
    fields.filter((field) => unsorted.get(name)?.includes(field)).map((field) => [name, field] as const),
  );

  test.each(places)('%s.%s can be read, but is in no filter and no order', (name, field) => {
    expect((schema.getType(name) as GraphQLObjectType).getFields()).toHaveProperty(field);
    expect(filtersOf(name)).not.toContain(field);
    for (const member of toOrderMembers(field)) expect(membersOf(`${name}Order`)).not.toContain(member);
  });
});

describe('a condition', () => {
  const equality = ['eq', 'ne'];
  const choice = [...equality, 'in'];
  const order = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in'];

  test.each<[string, string[]]>([
    ['String', [...order, 'contains', 'startsWith', 'endsWith']],
    ['UUID', choice],
    ['Word', choice],
    ['Boolean', equality],
    ...['Date', 'DateTime', 'Decimal', 'Int', 'SafeInt'].map((name): [string, string[]] => [name, order]),
  ])('on a value of %s offers %j, none required', (name, operators) => {
    const operand = name === 'Word' ? 'String' : name;
    const expected = operators.map((operator) => [operator, operator === 'in' ? `[${operand}!]` : operand]);

    expect(Object.entries(signatureOf(inputOf(`${name}Filter`)))).toEqual(expected);
  });
});

test.each([
  ['addressLine1', 'ADDRESS_LINE_1'],
  ['shortcutDimension1Code', 'SHORTCUT_DIMENSION_1_CODE'],
  ['lastModifiedDateTime', 'LAST_MODIFIED_DATE_TIME'],
])('%s is a member of an enum as %s', (field, member) => {
  expect(toEnumMember(field)).toBe(member);
});
