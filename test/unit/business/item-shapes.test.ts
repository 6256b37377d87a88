import { type OperationDefinitionNode, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { dialectOf } from '../../../src/business/dialect.ts';
import {
  type ItemPlanOptions,
  type ItemVersion,
  itemPlanOf as itemPlan,
  itemsV1,
  itemsV2,
  mergeShapes,
} from '../../../src/business/item-shapes.ts';
import { fullView, readRecord } from '../../../src/business/views.ts';
import { createSelections } from '../../../src/graph/selection.ts';
import { createSchema } from '../../../src/schema.ts';

const schema = createSchema();
const selections = createSelections(schema);
const itemId = 'a1b2c3d4-0000-4000-8000-0000000000ff';

function selectionOf(source: string) {
  const document = parse(source);
  const faults = validate(schema, document);
  if (faults.length > 0) throw faults[0];
  return selections(document, document.definitions[0] as OperationDefinitionNode, {});
}

const dialect = dialectOf('document');
const itemPlanOf = (
  selection: Parameters<typeof itemPlan>[0],
  version: ItemVersion,
  options: Partial<ItemPlanOptions> = {},
) => itemPlan(selection, version, { dialect, hasV1: true, ...options });

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
    ['number etag', ['v2']],
    ['itemCategoryId itemCategoryCode', ['v2']],
    ['baseUnitOfMeasure { unitCode }', ['v2']],
    ['itemCategory { code }', ['v2']],
    ['baseUnitOfMeasure { unitName }', ['v1']],
    ['baseUnitOfMeasure { symbol }', ['v1']],
    ['baseUnitOfMeasure { unitConversion { toUnitOfMeasure } }', ['v1']],
    ['itemCategory { categoryId }', ['v1']],
    ['number unitPrice itemCategory { description }', ['v1']],
    ['baseUnitOfMeasure { unitCode unitName }', ['v1']],
    ['etag baseUnitOfMeasure { unitName }', ['v2', 'v1']],
    ['displayName2 itemCategory { description }', ['v2', 'v1']],
    ['baseUnitOfMeasureCode baseUnitOfMeasure { symbol }', ['v2', 'v1']],
    ['itemCategoryCode itemCategory { categoryId }', ['v2', 'v1']],
    ['itemCategory { code description }', ['v2', 'v1']],
    ['inventoryPostingGroupId baseUnitOfMeasure { unitConversion { fromToConversionRate } }', ['v2', 'v1']],
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

  test('depend on what is selected under that version alone', () => {
    const selection = selectionOf(`{ company {
      a: item(id: "${itemId}", version: V1) { baseUnitOfMeasure { unitName } }
      b: item(id: "${itemId}") { etag }
      c: item(id: "${itemId}", version: V2) { number }
    } }`);

    const plans = (['AUTO', 'V2', 'V1'] as const).map((version) => {
      const { v2, v1 } = itemPlanOf(selection, version);
      return [namesOf(v2), namesOf(v1)];
    });

    expect(plans).toEqual([
      [['id'], undefined],
      [['id', 'number'], undefined],
      [undefined, ['id', 'baseUnitOfMeasure']],
    ]);
  });

  test('are worked out once', () => {
    const selection = selectionOf(`{ company { item(id: "${itemId}") { number } } }`);

    expect(itemPlanOf(selection, 'AUTO')).toBe(itemPlanOf(selection, 'AUTO'));
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

  test('always holds the number where order lines lead to items', () => {
    const selection = selectionOf(
      '{ company { salesOrders { nodes { documentLines { item { displayName } } } } } }',
    );

    expect(namesOf(itemPlanOf(selection, 'AUTO').v2)).toEqual(['id', 'number', 'displayName']);
    expect(namesOf(itemPlanOf(selection, 'AUTO', { dialect: dialectOf('dynamics') }).v2)).toEqual([
      'id',
      'number',
      'displayName',
    ]);
  });

  test('expands the records an item names', () => {
    expect(planOf('category { code } unitOfMeasure { symbol }').v2?.options).toEqual({
      $select: 'id,baseUnitOfMeasureId,itemCategoryId',
      $expand: 'itemCategory($select=id,code),unitOfMeasure($select=id,symbol)',
    });
  });
});

describe('without the v1.0 shape', () => {
  const optionsOf = (fields: string) => {
    const { v2, v1 } = planOf(fields, 'AUTO', { hasV1: false });
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

  test('a pinned v2.0 is not expanded', () => {
    const { v2 } = planOf('itemCategory { description }', 'V2', { hasV1: false });

    expect(v2?.options).toEqual({ $select: 'id,itemCategoryCode' });
  });
});

test('a list filtered by what only v2.0 has reads v2.0 too', () => {
  const plan = planOf('itemCategory { description }', 'AUTO', { isOrderedByV2: true });

  expect(namesOf(plan.v2)).toEqual(['id', 'itemCategoryCode']);
  expect(plan.v1).not.toBeNull();
});

describe('an item merged', () => {
  const shared = { id: itemId, number: '1000', displayName: 'Bicycle' };
  const v2Of = (row: object) =>
    readRecord(fullView(itemsV2, dialect), { ...shared, '@odata.etag': 'W/"2"', ...row }, 'company');
  const v1Of = (row: object) =>
    readRecord(fullView(itemsV1, dialect), { ...shared, '@odata.etag': 'W/"1"', ...row }, 'company');

  test('from nothing is nothing', () => {
    expect(mergeShapes(null, null)).toBeNull();
  });

  test('has the tag of v2.0, and none without it', () => {
    expect(mergeShapes(v2Of({}), v1Of({}))?.etag).toBe('W/"2"');
    expect(mergeShapes(v2Of({}), null)?.etag).toBe('W/"2"');
    expect(mergeShapes(null, v1Of({}))?.etag).toBeNull();
  });

  test('has what either shape has; v2.0 speaks where both do', () => {
    const merged = mergeShapes(
      v2Of({ displayName: 'From v2.0', displayName2: 'second' }),
      v1Of({ displayName: 'From v1.0', baseUnitOfMeasure: { unitName: 'Piece' } }),
    );

    expect(merged).toMatchObject({
      ...shared,
      companyId: 'company',
      displayName: 'From v2.0',
      displayName2: 'second',
      baseUnitOfMeasure: { unitName: 'Piece' },
    });
  });

  test.each([
    [
      'an object',
      { itemCategory: { categoryId: 'TABLE', description: 'Tables' } },
      ['TABLE', null, 'Tables'],
    ],
    ['an object with a code', { itemCategory: { categoryId: itemId, code: 'T' } }, [itemId, 'T', null]],
    ['id and code', { itemCategoryId: itemId, itemCategoryCode: 'TABLE' }, [itemId, 'TABLE', null]],
    ['a code alone', { itemCategoryId: '', itemCategoryCode: 'TABLE' }, [null, 'TABLE', null]],
  ])('reads a v1.0 category that comes as %s', (_what, row, [categoryId, code, description]) => {
    expect(mergeShapes(null, v1Of(row))?.itemCategory).toEqual({ categoryId, code, description });
  });

  test.each([
    [{}],
    [{ itemCategory: null }],
    [{ itemCategory: {} }],
    [{ itemCategory: { categoryId: '', description: '' } }],
    [{ itemCategoryId: '00000000-0000-0000-0000-000000000000', itemCategoryCode: '' }],
  ])('has no category for %j', (row) => {
    expect(mergeShapes(null, v1Of(row))?.itemCategory).toBeNull();
  });

  test('has the category of both shapes together', () => {
    const merged = mergeShapes(
      v2Of({ itemCategoryCode: 'TABLE' }),
      v1Of({ itemCategory: { categoryId: itemId, description: 'Tables' } }),
    );

    expect(merged?.itemCategory).toEqual({ categoryId: itemId, code: 'TABLE', description: 'Tables' });
  });

  test.each([
    [
      { toUnitOfMeasure: 'BOX', fromToConversionRate: 12 },
      { toUnitOfMeasure: 'BOX', fromToConversionRate: '12' },
    ],
    [
      { toUnitOfMeasure: 'BOX', fromToConversionRate: 0.5 },
      { toUnitOfMeasure: 'BOX', fromToConversionRate: '0.5' },
    ],
    [{ toUnitOfMeasure: '' }, { toUnitOfMeasure: null, fromToConversionRate: null }],
    [null, null],
    [undefined, null],
    ['BOX', null],
  ])('reads the unit conversion %j as %j', (unitConversion, expected) => {
    const unit = { unitCode: 'PCS', unitName: 'Piece', symbol: '', unitConversion };

    expect(mergeShapes(null, v1Of({ baseUnitOfMeasure: unit }))?.baseUnitOfMeasure).toEqual({
      unitCode: 'PCS',
      unitName: 'Piece',
      symbol: null,
      unitConversion: expected,
    });
  });

  test('has names from the records v2.0 expanded, where v1.0 was not read', () => {
    const merged = mergeShapes(
      v2Of({
        itemCategoryCode: 'TABLE',
        itemCategory: { id: itemId, displayName: 'Tables' },
        baseUnitOfMeasureCode: 'PCS',
        unitOfMeasure: { id: itemId, displayName: 'Piece', symbol: 'pc' },
      }),
      null,
    );

    expect(merged).toMatchObject({
      itemCategory: { categoryId: 'TABLE', code: 'TABLE', description: 'Tables' },
      baseUnitOfMeasure: { unitCode: 'PCS', unitName: 'Piece', symbol: 'pc', unitConversion: null },
    });
  });

  test('has the unit of v2.0 by its code alone, and none without one', () => {
    expect(mergeShapes(v2Of({ baseUnitOfMeasureCode: 'PCS' }), null)?.baseUnitOfMeasure).toEqual({
      unitCode: 'PCS',
      unitName: null,
      symbol: null,
      unitConversion: null,
    });
    expect(mergeShapes(v2Of({ baseUnitOfMeasureCode: '' }), null)?.baseUnitOfMeasure).toBeNull();
    expect(mergeShapes(null, v1Of({ baseUnitOfMeasure: null }))?.baseUnitOfMeasure).toBeNull();
  });
});
