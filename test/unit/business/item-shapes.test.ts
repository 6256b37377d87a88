import { type OperationDefinitionNode, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';
import {
  type ItemPlanOptions,
  type ItemVersion,
  getItemPlan as itemPlan,
} from '../../../src/business/items/item-shapes.ts';
import { createView } from '../../../src/business/reading/views.ts';
import { getDialect } from '../../../src/business/record-sets/dialect.ts';
import type { RecordSet } from '../../../src/business/record-sets/record-set.ts';
import { createOperationPlans } from '../../../src/graph/operation-plans.ts';
import type { Selection } from '../../../src/graph/selection.ts';

const schema = createSchema();
const itemsV2 = productRecordTypes().recordTypes.find(({ type }) => type === 'Item') as RecordSet;
const selections = createOperationPlans(schema);
const itemId = 'a1b2c3d4-0000-4000-8000-0000000000ff';

function selectionOf(source: string) {
  const document = parse(source);
  const faults = validate(schema, document);
  if (faults.length > 0) throw faults[0];
  return selections(document, document.definitions[0] as OperationDefinitionNode, {}).selection;
}

const dialect = getDialect('document');
const itemPlanOf = (selection: Selection, version: ItemVersion, options: Partial<ItemPlanOptions> = {}) => {
  const given = { dialect, ...options };
  const { v2, v1 } = itemPlan(selection.ofType('Item', version), version, given);
  return { v2: v2 && createView(itemsV2, given.dialect, v2), v1 };
};

const namesOf = (view: { columns: readonly { name: string }[] } | null) =>
  view?.columns.map(({ name }) => name);

const planOf = (fields: string, version: ItemVersion = 'AUTO', options: Partial<ItemPlanOptions> = {}) =>
  itemPlanOf(
    selectionOf(`{ company { item(id: "${itemId}", version: ${version}) { ${fields} } } }`),
    version,
    options,
  );

const shapesOf = (fields: string, version?: ItemVersion) =>
  Object.entries(planOf(fields, version)).flatMap(([shape, view]) => (view ? [shape] : []));

describe('the shapes read for a selection', () => {
  test.each([
    ['id', ['v2']],
    ['number displayName inventory unitPrice', ['v2']],
    ['baseUnitOfMeasure { unitCode }', ['v2']],
    ['itemCategory { code }', ['v2']],
    ['baseUnitOfMeasure { unitName }', ['v1']],
    ['baseUnitOfMeasure { unitCode unitName }', ['v1']],
    ['etag baseUnitOfMeasure { unitName }', ['v2', 'v1']],
    ['itemCategory { code description }', ['v2', 'v1']],
  ])('%s are the fewest that cover it: %j', (fields, shapes) => {
    expect(shapesOf(fields)).toEqual(shapes);
  });

  test.each([
    ['id'],
    ['etag'],
    ['baseUnitOfMeasure { unitName }'],
    ['etag itemCategory { code description }'],
  ])('%s are the one pinned', (fields) => {
    expect(shapesOf(fields, 'V1')).toEqual(['v1']);
    expect(shapesOf(fields, 'V2')).toEqual(['v2']);
  });
});

describe('what is asked of a shape', () => {
  test('is what the selection needs of it', () => {
    const { v2, v1 } = planOf('number etag unitPrice baseUnitOfMeasure { unitCode unitName }');

    expect(v2?.options).toEqual({ $select: 'id,number,unitPrice,baseUnitOfMeasureCode' });
    expect(v1?.options).toEqual({ $select: 'id,number,baseUnitOfMeasure' });
  });

  test('of a v1.0 category is everything: the forms it comes in cannot all be named', () => {
    const { v1 } = planOf('itemCategory { description }');

    expect(namesOf(v1)).toEqual(['id', 'itemCategory', 'itemCategoryId', 'itemCategoryCode']);
    expect(v1?.options).toEqual({});
  });
});

describe('without the v1.0 shape', () => {
  const optionsOf = (fields: string) => {
    const { v2, v1 } = planOf(fields, 'AUTO', { dialect: getDialect('document', { hasItemV1: false }) });
    expect(v1).toBeNull();
    return v2?.options;
  };

  test.each([
    ['number', { $select: 'id,number' }],
    ['itemCategory { code }', { $select: 'id,itemCategoryCode' }],
    [
      'itemCategory { description }',
      { $select: 'id,itemCategoryId,itemCategoryCode', $expand: 'itemCategory($select=id,displayName)' },
    ],
    [
      'baseUnitOfMeasure { unitName }',
      {
        $select: 'id,baseUnitOfMeasureId,baseUnitOfMeasureCode',
        $expand: 'unitOfMeasure($select=id,displayName,symbol)',
      },
    ],
  ])('%s is filled from v2.0, expanded where it must be', (fields, options) => {
    expect(optionsOf(fields)).toEqual(options);
  });
});

test('a list filtered by what only v2.0 has reads v2.0 too', () => {
  const plan = planOf('itemCategory { description }', 'AUTO', { usesV2OnlyColumns: true });

  expect(namesOf(plan.v2)).toEqual(['id', 'itemCategoryCode']);
  expect(plan.v1).not.toBeNull();
});
