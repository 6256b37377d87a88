import { isListType, isNonNullType, isObjectType } from 'graphql';
import { expect } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { neverSet, unreadFields } from '../../support/cases/every-field.ts';
import { testWith } from '../../support/layer.ts';

// Every field of two hundred orders is more than one operation may usually ask for.
const test = testWith({}, { MAX_COST: '200000' });

const schema = createSchema();

test('every field of every type can be read, and has a value on some record of the sandbox', async ({
  layer,
}) => {
  expect(await unreadFields(layer)).toEqual(neverSet);
});

test('a list field never contains null', () => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('_') || type === schema.getQueryType()) continue;
    for (const field of Object.values(type.getFields())) {
      const list = isNonNullType(field.type) ? field.type.ofType : field.type;
      if (isListType(list)) expect(isNonNullType(list.ofType), `${type.name}.${field.name}`).toBe(true);
    }
  }
});
