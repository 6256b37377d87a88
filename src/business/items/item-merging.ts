import { formatDecimal } from '../../graph/decimal.ts';
import type { ODataRow } from '../../odata/collection.ts';
import { isJsonObject, stringOrNull } from '../../runtime/json.ts';
import type { RecordOf } from '../record-set.ts';
import type { ItemCategoryRecord } from '../records/item-categories.ts';
import type { UnitOfMeasureRecord } from '../records/units-of-measure.ts';
import type { FieldsV1, FieldsV2 } from './item-shapes.ts';

/** An item with what each shape that was read adds to it. */
export type ItemRecord = Pick<RecordOf<FieldsV2>, 'companyId' | 'id' | 'etag'> &
  Partial<RecordOf<FieldsV2>> & {
    readonly baseUnitOfMeasure?: BaseUnit | null;
    readonly itemCategory?: Category | null;
    readonly category?: ItemCategoryRecord | null;
    readonly unitOfMeasure?: UnitOfMeasureRecord | null;
    /** Why the v1.0 shape could not be read beside the v2.0 one; its fields fail with this error. */
    readonly v1Failure?: unknown;
  };

interface BaseUnit {
  readonly unitCode: string | null;
  readonly unitName: string | null;
  readonly symbol: string | null;
  readonly unitConversion: { toUnitOfMeasure: string | null; fromToConversionRate: string | null } | null;
}

interface Category {
  readonly categoryId: string | null;
  readonly code: string | null;
  readonly description: string | null;
}

type ReadV2 = RecordOf<FieldsV2> & Pick<ItemRecord, 'category' | 'unitOfMeasure'>;

/**
 * Merges the shapes; v2.0 takes precedence, and the ETag is that of v2.0 or null. The base unit is of one shape alone: of v1.0
 * where it was read with one. Fields that only v1.0 has are taken from
 * the expanded records of v2.0 if v1.0 was not read.
 */
export function mergeShapes(v2: ReadV2 | null, v1: RecordOf<FieldsV1> | null): ItemRecord | null {
  const record = v2 ?? v1;
  if (!record) return null;
  return {
    ...v1,
    ...record,
    etag: v2?.etag ?? null,
    baseUnitOfMeasure: mergeBaseUnit(v1?.baseUnitOfMeasure ?? null, v2),
    itemCategory: mergeCategory(v1, v2),
  };
}

function mergeBaseUnit(unit: ODataRow | null, v2: ReadV2 | null): BaseUnit | null {
  if (unit === null) {
    const unitCode = v2?.baseUnitOfMeasureCode ?? null;
    const { displayName = null, symbol = null } = v2?.unitOfMeasure ?? {};
    return unitCode === null ? null : { unitCode, unitName: displayName, symbol, unitConversion: null };
  }
  const conversion = unit.unitConversion;
  return {
    unitCode: stringOrNull(unit.unitCode),
    unitName: stringOrNull(unit.unitName),
    symbol: stringOrNull(unit.symbol),
    unitConversion: isJsonObject(conversion)
      ? {
          toUnitOfMeasure: stringOrNull(conversion.toUnitOfMeasure),
          fromToConversionRate: formatDecimal(conversion.fromToConversionRate),
        }
      : null,
  };
}

function mergeCategory(v1: RecordOf<FieldsV1> | null, v2: ReadV2 | null): Category | null {
  const category = v1?.itemCategory ?? null;
  // Of the shape that the rest is of, where that has it.
  const code = stringOrNull(category?.code) ?? v1?.itemCategoryCode ?? v2?.itemCategoryCode ?? null;
  // The document's v1.0 shows the category's code as its id.
  const expandedId = v2?.category ? code : null;
  const categoryId = stringOrNull(category?.categoryId) ?? v1?.itemCategoryId ?? expandedId;
  const description = stringOrNull(category?.description) ?? v2?.category?.displayName ?? null;
  return categoryId === null && code === null && description === null
    ? null
    : { categoryId, code, description };
}
