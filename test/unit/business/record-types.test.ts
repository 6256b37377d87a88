import { type DefinitionNode, type FieldDefinitionNode, getNamedType, isObjectType, Kind } from 'graphql';
import { expect, test } from 'vitest';
import { productRecordTypes, readSchemaFiles } from '../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { collectDeclarations } from '../../../src/business/declarations/declarations.ts';
import { findDeclarationMistakes, formatMistake } from '../../../src/business/declarations/mistakes.ts';

const schema = createSchema();
const { recordTypes, ownedLists } = productRecordTypes();

const fieldsOf = (name: string) => {
  const type = schema.getType(name);
  return isObjectType(type) ? type.getFields() : {};
};

test('the declarations of the product keep the rules for those of files', () => {
  const files = readSchemaFiles();
  const { types, lists: declared } = collectDeclarations(files);
  const isList = (field: FieldDefinitionNode) => declared.some((list) => list.field.node.name === field.name);
  // Beside them there is what no record is.
  const ofRecords = files.map(({ file, document }) => ({
    file,
    document: {
      ...document,
      definitions: document.definitions.flatMap((node): DefinitionNode[] => {
        if (node.kind === Kind.OBJECT_TYPE_EXTENSION)
          return [{ ...node, fields: node.fields?.filter(isList) ?? [] }];
        return node.kind !== Kind.OBJECT_TYPE_DEFINITION || types.has(node.name.value) ? [node] : [];
      }),
    },
  }));

  expect(findDeclarationMistakes(ofRecords, []).map(formatMistake)).toEqual([]);
});

test.each(ownedLists.map((list) => [`${list.owner}.${list.field}`, list] as const))(
  '%s is a list, and reads what it is found by',
  (_place, { owner, field, listed, columns }) => {
    const { fields = {}, sourceColumns = {} } = recordTypes.find(({ type }) => type === owner) ?? {};
    const read = Object.values(columns).filter((source) => typeof source === 'string');

    expect(getNamedType(fieldsOf(owner)[field]?.type)?.name).toBe(`${listed.type}Connection`);
    expect(Object.keys(fields)).toEqual(expect.arrayContaining(read));
    expect(sourceColumns[field] ?? []).toEqual(read.filter((column) => column !== 'id'));
  },
);

test.each(['Query', 'Mutation', 'Subscription', 'Company'])(
  'every field of %s with arguments is resolved',
  (name) => {
    const unresolved = Object.values(fieldsOf(name)).filter(
      ({ args, resolve, subscribe }) => args.length > 0 && !resolve && !subscribe,
    );

    expect(unresolved.map((field) => `${name}.${field.name}`)).toEqual([]);
  },
);
