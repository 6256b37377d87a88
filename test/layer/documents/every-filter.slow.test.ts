import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  getNamedType,
} from 'graphql';
import { expect } from 'vitest';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { wordsIn } from '../../support/cases/every-input.ts';
import { test as documented, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const { recordTypes } = productRecordTypes();

const schema = createSchema();
const typeOf = <Type>(name: string) => schema.getType(name) as Type;

/** Every list of area A: where it stands, and what it can be filtered and ordered by. */
const lists = [
  ...Object.values(typeOf<GraphQLObjectType>('Company').getFields()),
  schema.getQueryType()?.getFields().companies,
]
  .filter((field) => field !== undefined && getNamedType(field.type).name.endsWith('Connection'))
  .map((field) => ({
    name: field?.name ?? '',
    type: getNamedType(field?.type)?.name.replace('Connection', '') ?? '',
  }));

const samples: Readonly<Record<string, unknown>> = {
  String: 'a',
  UUID: '99999999-0000-4000-8000-000000000000',
  Date: '2026-01-01',
  DateTime: '2026-01-01T00:00:00Z',
  Decimal: '1.5',
  SafeInt: 1,
  Int: 1,
  Boolean: true,
};

/** Every operator of every field of a filter at once. */
function everyCondition(type: string) {
  const { and, or, not, ...fields } = typeOf<GraphQLInputObjectType>(`${type}Filter`).getFields();
  expect([and, or, not], type).not.toContain(undefined);
  return Object.fromEntries(
    Object.values(fields).map(({ name, type: leaf }) => {
      const filter = getNamedType(leaf) as GraphQLInputObjectType;
      // The upstream refuses words that it does not know.
      const [word] = wordsIn(typeOf<GraphQLObjectType>(type).getFields()[name]?.description);
      const tests = Object.values(filter.getFields()).map(({ name: operator, type: operand }) => {
        const value = filter.name === 'WordFilter' ? word : samples[getNamedType(operand).name];
        expect(value, `${type}.${name}.${operator}`).toBeDefined();
        return [operator, operator === 'in' ? [value] : value];
      });
      return [name, Object.fromEntries(tests)];
    }),
  );
}

async function askEverything(layer: TestLayer, sandbox: TestSandbox) {
  expect(lists).toHaveLength(recordTypes.length);
  for (const { name, type } of lists) {
    const filter = everyCondition(type);
    const members = typeOf<GraphQLEnumType>(`${type}Order`).getValues();
    const orderBy = members.map(({ name }) => name).filter((name) => name.endsWith('_ASC'));
    const list = `${name}(filter: $filter, orderBy: $orderBy) { nodes { id } }`;
    await sandbox.forgetCalls();

    for (const variables of Object.keys(filter).map((field) => ({ filter: { [field]: filter[field] } }))) {
      const { errors } = await layer.query(
        `query ($filter: ${type}Filter, $orderBy: [${type}Order!]) { ${name === 'companies' ? list : `company { ${list} }`} }`,
        { ...variables, orderBy },
      );
      expect(errors, JSON.stringify(variables)).toBeUndefined();
    }

    const calls = await sandbox.calls();
    expect(calls).toHaveLength(Object.keys(filter).length);
    const columns = new URLSearchParams(calls[0]?.path.split('?')[1]).get('$orderby')?.split(',');
    const { columnNames = {} } = recordTypes.find((recordType) => recordType.type === type) ?? {};
    expect(columns, name).toEqual(Object.keys(filter).map((field) => columnNames[field] ?? field));
  }
}

for (const [name, run] of [
  ['document', documented],
  ['dynamics', testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' })],
] as const) {
  run(
    `an upstream of the dialect ${name} supports every filter and order of the schema`,
    async ({ layer, sandbox }) => {
      await askEverything(layer, sandbox);
    },
    30_000,
  );
}
