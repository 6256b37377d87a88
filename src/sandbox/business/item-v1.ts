import { items } from './record-sets.ts';
import type { RecordSet } from './records.ts';
import { recordSet } from './records.ts';
import type { Company, StoredRecord } from './store.ts';
import { recordsOf } from './store.ts';

/** Fields of the v2.0 item that its v1.0 shape does not have (A3). */
const onlyInV2 = new Set([
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
export const itemsV1: RecordSet = recordSet('items', 'itemV1', [
  ...items.fields.filter((field) => !onlyInV2.has(field.name)),
  { name: 'baseUnitOfMeasure', kind: 'object' },
  { name: 'itemCategory', kind: 'object' },
]);

/** How many pieces a packing unit holds; every other unit has a null `unitConversion`. */
const piecesIn: Readonly<Record<string, number>> = { BOX: 12, SET: 4 };

/** The fields of an item in the v1.0 shape. `categoryId` is the code, not a GUID. */
export function itemShapeV1(record: StoredRecord, company: Company): Record<string, unknown> {
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
    itemCategory: {
      categoryId: category?.code ?? '',
      description: category?.displayName ?? '',
    },
  };
}
