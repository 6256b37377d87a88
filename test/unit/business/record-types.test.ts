import { readdirSync } from 'node:fs';
import { getNamedType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { readTypeDefs } from '../../../src/app/schema/sdl.ts';
import { recordTypes } from '../../../src/business/records/index.ts';
import { addRecordTypeDefs } from '../../../src/business/type-defs/record-type-defs.ts';

const folder = 'src/business/records/';
const schema = createSchema();

test('every file of records/ holds one record type, named like its entity set, and index.ts lists it', () => {
  const files = readdirSync(new URL(`../../../${folder}`, import.meta.url));
  const listed = recordTypes.map(
    ({ entitySet }) => `${entitySet.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}.ts`,
  );

  expect(
    files.filter((file) => file !== 'index.ts').sort(),
    `Files of ${folder}, and what ${folder}index.ts lists`,
  ).toEqual(listed.sort());
});

test.each(recordTypes.map((recordType) => [recordType.type, recordType] as const))(
  '%s can be listed, and belongs to a company where companies can list it',
  (name, { names }) => {
    const company = schema.getType('Company');
    const fields = isObjectType(company) ? company.getFields() : {};

    expect(schema.getType(`${name}Connection`), `${name}Connection`).toBeDefined();
    if (!names) return;
    expect(getNamedType(fields[names.one]?.type)?.name, `Company.${names.one} of schema/`).toBe(name);
    expect(getNamedType(fields[names.many]?.type)?.name, `Company.${names.many} of schema/`).toBe(
      `${name}Connection`,
    );
  },
);

const lists = recordTypes.flatMap(({ type, names, listedBy = {} }) =>
  Object.entries(listedBy).map(
    ([owner, columns]) =>
      [
        `${owner}.${names?.many}`,
        type,
        owner,
        Object.values(columns).filter((source) => typeof source === 'string'),
      ] as const,
  ),
);

test.each(lists)('%s is a list, and reads what it is found by', (place, name, owner, columns) => {
  const ownerType = schema.getType(owner);
  const field = isObjectType(ownerType) ? ownerType.getFields()[place.slice(owner.length + 1)] : undefined;
  const { fields = {}, sourceColumns = {} } = recordTypes.find(({ type }) => type === owner) ?? {};
  const others = columns.filter((column) => column !== 'id');

  expect(getNamedType(field?.type)?.name, `${place} of schema/`).toBe(`${name}Connection`);
  expect(Object.keys(fields)).toEqual(expect.arrayContaining(columns));
  expect(sourceColumns[field?.name ?? ''] ?? [], `\`sourceColumns\` of ${owner} in ${folder}`).toEqual(
    others,
  );
});

test.each(['Query', 'Mutation', 'Subscription', 'Company'])(
  'every field of %s with arguments is resolved',
  (name) => {
    const type = schema.getType(name);
    const fields = Object.values(isObjectType(type) ? type.getFields() : {});
    const unresolved = fields.filter(
      ({ args, resolve, subscribe }) => args.length > 0 && !resolve && !subscribe,
    );

    expect(
      unresolved.map((field) => `${name}.${field.name}`),
      `Add the mutation to the \`writes\` of its descriptor in ${folder}, or a resolver`,
    ).toEqual([]);
  },
);

// Those of record files, which `documents` has the types of, too.
const all = productRecordTypes().recordTypes;
const documents = readTypeDefs();

test.each([
  ['a type that schema/ does not define', { type: 'Unheard' }, 'No file of schema/ defines the type Unheard'],
  ['a column that the type does not have', { fields: { id: 'uuid', shoeSize: 'int' } }, 'Employee.shoeSize'],
  ['a note on what is no column', { list: { one: 'a', many: 'b', filterNotes: { state2: 'd' } } }, 'state2'],
] as const)('a descriptor with %s is refused', (_what, difference, message) => {
  const changed = all.map((recordType) =>
    recordType.type === 'Employee' ? { ...recordType, ...difference } : recordType,
  );

  expect(() => addRecordTypeDefs(documents, changed)).toThrow(message);
});

test('a type of schema/ that belongs to a company and has no descriptor is refused', () => {
  const others = all.filter(({ type }) => type !== 'Employee');

  expect(() => addRecordTypeDefs(documents, others)).toThrow(/Employee.*records\/index\.ts/);
});
