import { describe, expect, test } from 'vitest';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { mergeShapes } from '../../../src/business/items/item-reads.ts';
import { itemsV1 } from '../../../src/business/items/item-shapes.ts';
import { parseRecord } from '../../../src/business/reading/row-parser.ts';
import type { RecordSet } from '../../../src/business/record-sets/record-set.ts';
import { createWholeView } from '../../support/cases/whole-view.ts';

const itemsV2 = productRecordTypes().recordTypes.find(({ type }) => type === 'Item') as RecordSet;
const itemId = 'a1b2c3d4-0000-4000-8000-0000000000ff';

describe('an item merged', () => {
  const shared = { id: itemId, number: '1000', displayName: 'Bicycle' };
  const v2Of = (row: object) =>
    parseRecord(createWholeView(itemsV2), { ...shared, '@odata.etag': 'W/"2"', ...row }, 'company');
  const v1Of = (row: object) =>
    parseRecord(createWholeView(itemsV1), { ...shared, '@odata.etag': 'W/"1"', ...row }, 'company');

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
  ])('reads a v1.0 category that comes as %s', (_what, row, [categoryId, code, description]) => {
    expect(mergeShapes(null, v1Of(row))?.itemCategory).toEqual({ categoryId, code, description });
  });

  test.each([
    [{}],
    [{ itemCategory: null }],
    [{ itemCategoryId: '00000000-0000-0000-0000-000000000000', itemCategoryCode: '' }],
  ])('has no category for %j', (row) => {
    expect(mergeShapes(null, v1Of(row))?.itemCategory).toBeNull();
  });

  test.each([
    [
      { toUnitOfMeasure: 'BOX', fromToConversionRate: 12 },
      { toUnitOfMeasure: 'BOX', fromToConversionRate: '12' },
    ],
    [{ toUnitOfMeasure: '' }, { toUnitOfMeasure: null, fromToConversionRate: null }],
    [null, null],
  ])('reads the unit conversion %j as %j', (unitConversion, expected) => {
    const unit = { unitCode: 'PCS', unitName: 'Piece', symbol: '', unitConversion };

    expect(mergeShapes(null, v1Of({ baseUnitOfMeasure: unit }))?.baseUnitOfMeasure).toEqual({
      unitCode: 'PCS',
      unitName: 'Piece',
      symbol: null,
      unitConversion: expected,
    });
  });

  test('has a base unit and a category of one shape, where the shapes disagree', () => {
    const merged = mergeShapes(
      v2Of({ baseUnitOfMeasureCode: 'BOX', itemCategoryCode: 'CHAIR' }),
      v1Of({
        baseUnitOfMeasure: { unitCode: 'PCS', unitName: 'Piece', symbol: 'pc' },
        itemCategory: { categoryId: 'TABLE', code: 'TABLE', description: 'Tables' },
      }),
    );

    expect(merged).toMatchObject({
      baseUnitOfMeasure: { unitCode: 'PCS', unitName: 'Piece', symbol: 'pc' },
      itemCategory: { categoryId: 'TABLE', code: 'TABLE', description: 'Tables' },
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
});
