import {
  type GraphQLInputObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { expect, test } from 'vitest';
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
const records = productRecordTypes().recordTypes.map(({ type }) => type);
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
