import { type Company, type EntitySet, entitySet, type StoredRecord } from './entity-set.ts';
import { items } from './sets/items.ts';
import { recordsOf } from './store.ts';

/** Fields of the v2.0 item that the v1.0 item does not have (A3). */
const v2OnlyFields = new Set([
  'itemCategoryId',
  'itemCategoryCode',
  'baseUnitOfMeasureCode',
  'displayName2',
  'generalProductPostingGroupId',
  'generalProductPostingGroupCode',
  'inventoryPostingGroupId',
  'inventoryPostingGroupCode',
]);

/** A3: items with the nested unit and category, which cannot be filtered or sorted by. */
export const itemsV1: EntitySet = entitySet('items', 'itemV1', {
  fields: [
    ...items.fields.filter((field) => !v2OnlyFields.has(field.name)),
    { name: 'baseUnitOfMeasure', kind: 'object' },
    { name: 'itemCategory', kind: 'object' },
  ],
});

/** Pieces per packing unit. The `unitConversion` of other units is null. */
const piecesIn: Readonly<Record<string, number>> = { BOX: 12, SET: 4 };

/** The fields of an item in the v1.0 shape. `categoryId` is the code, not a GUID. */
export function toItemV1(record: StoredRecord, company: Company): Record<string, unknown> {
  const { values } = record;
  const unit = recordsOf(company, 'unitsOfMeasure').get(String(values.baseUnitOfMeasureId))?.values;
  const category = recordsOf(company, 'itemCategories').get(String(values.itemCategoryId))?.values;
  const pieces = piecesIn[String(unit?.code)];
  return {
    ...values,
    baseUnitOfMeasure: {
      unitCode: unit?.code ?? '',
      unitName: unit?.displayName ?? '',
      symbol: unit?.symbol ?? '',
      unitConversion: pieces === undefined ? null : { toUnitOfMeasure: 'PCS', fromToConversionRate: pieces },
    },
    itemCategory: { categoryId: category?.code ?? '', description: category?.displayName ?? '' },
  };
}
