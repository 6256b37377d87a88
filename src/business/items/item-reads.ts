import { InputError, UpstreamError } from '../../errors.ts';
import { formatDecimal } from '../../graph/decimal.ts';
import { RelayConnection } from '../../graph/relay-connection.ts';
import { type SelectedObject, selectRows } from '../../graph/selected-object.ts';
import type { ODataRow } from '../../odata/collection.ts';
import { isJsonObject, stringOrNull } from '../../runtime/json.ts';
import { compileListQuery } from '../reading/filters.ts';
import { copyRecord } from '../reading/row-parser.ts';
import type { View } from '../reading/views.ts';
import { withPlainWords } from '../record-sets/dialect.ts';
import type { BusinessRecord, RecordKey } from '../record-sets/record-set.ts';
import type { Business, PageArguments } from '../records/business.ts';
import {
  columnsOnlyInV2,
  getItemPlan,
  type ItemPlan,
  type ItemPlanOptions,
  type ItemVersion,
} from './item-shapes.ts';

/** Loads an item in the fewest shapes that cover the selection. Two shapes are read in parallel. */
export async function loadItem(
  business: Business,
  companyId: string,
  key: RecordKey,
  version: ItemVersion = 'AUTO',
): Promise<ItemRecord | null> {
  const isLoadedByNumber = 'number' in key;
  const { v2, v1, hasMergedFields } = planItemRead(business, selectItem(business, version), version, {
    isLoadedByNumber,
  });
  const read = (view: View) =>
    'id' in key
      ? business.loadView(view, companyId, key.id)
      : business.loadViewByNumber(view, companyId, key.number);
  if (!v2) return mergeShapes(null, v1 && (await read(v1)));
  const [record, recordV1] = await Promise.all([
    read(business.plan(business.setOf('Item'), v2)),
    v1 && read(v1).catch(toFieldError),
  ]);
  return record && hasMergedFields ? mergeShapes(record, recordV1) : record;
}

/** Adds the fields that only v1.0 has to an item that was expanded with its line. Null if this version reads no v2.0. */
export function completeExpandedItem(
  business: Business,
  record: BusinessRecord,
  selected: SelectedObject,
  version: ItemVersion,
): ItemRecord | Promise<ItemRecord> | null {
  const { v2, v1, hasMergedFields } = planItemRead(business, selected, version);
  if (!v2) return null;
  if (!hasMergedFields) return record;
  if (!v1) return mergeShapes(record, null);
  // Loads with the view of the whole operation, so that loads of all its fields are coalesced.
  const view = planItemRead(business, selectItem(business, version), version).v1 ?? v1;
  return business
    .loadView(view, record.companyId, record.id)
    .catch(toFieldError)
    .then((recordV1) => mergeShapes(record, recordV1));
}

/** Whether an item that was expanded with its line has all selected fields. */
export function isExpandedItemComplete(
  business: Business,
  selected: SelectedObject,
  version: ItemVersion,
): boolean {
  if (version === 'V1') return false;
  const { v2, hasMergedFields } = planItemRead(business, selected, version);
  return v2 !== null && !hasMergedFields;
}

/** The selection of items of this version in the whole operation. */
const selectItem = ({ selection }: Business, version: ItemVersion): SelectedObject =>
  selection.ofType('Item', version);

interface ItemPage extends PageArguments {
  readonly version?: ItemVersion | null | undefined;
}

export async function listItems(
  business: Business,
  companyId: string,
  { version: requested, first, after, ...given }: ItemPage,
  connection: SelectedObject,
  owner: Readonly<Record<string, string>> = {},
): Promise<RelayConnection<ItemRecord>> {
  const version = requested ?? 'AUTO';
  const query = compileListQuery(business.setOf('Item'), business.dialect, given, owner);
  const onlyInV2 = columnsOnlyInV2(query.columns);
  if (version === 'V1' && onlyInV2.length > 0)
    throw new InputError(`The v1.0 shape of items has no \`${onlyInV2[0]}\` to filter or order by.`);
  const { v2, v1, hasMergedFields } = planItemRead(business, selectRows(connection), version, {
    usesV2OnlyColumns: onlyInV2.length > 0,
  });
  const request = { first, after, query, count: connection.fields.has('totalCount') };
  if (!v2) {
    if (!v1) throw new TypeError('an item plan reads at least one shape');
    const queryV1 = compileListQuery(business.setOf('Item'), withPlainWords(business.dialect), given, owner);
    const list = await business.listView(v1, companyId, { ...request, query: queryV1 });
    return new RelayConnection({
      ...list,
      nodes: list.nodes.map((record) => mergeShapes(null, record) as ItemRecord),
    });
  }
  const list = await business.listSelected(business.setOf('Item'), v2, companyId, request);
  if (!hasMergedFields) return new RelayConnection(list);
  const nodes = list.nodes.map(async (record) =>
    mergeShapes(record, v1 && (await business.loadView(v1, companyId, record.id).catch(toFieldError))),
  );
  return new RelayConnection({ ...list, nodes: await Promise.all(nodes) });
}

function planItemRead(
  { dialect, setOf }: Business,
  item: SelectedObject,
  version: ItemVersion,
  options: Omit<ItemPlanOptions, 'dialect'> = {},
): ItemPlan {
  // Extensions read columns of v2.0 only.
  const isExtended = setOf('Item').addedFields?.some((field) => item.fields.has(field)) === true;
  const usesV2OnlyColumns = options.usesV2OnlyColumns || isExtended;
  if (version !== 'V1' || dialect.hasItemV1)
    return getItemPlan(item, version, { dialect, ...options, usesV2OnlyColumns });
  const message = 'This deployment reads items in the v2.0 shape alone (BUSINESS_ITEM_V1=off).';
  throw new UpstreamError('UPSTREAM_NOT_CONFIGURED', message, { upstream: 'business', delivery: 'notSent' });
}

/** Makes a failed read of v1.0 the value of its fields, so that only these fields fail. */
const toFieldError = (failure: unknown) => failure as Error;

/** Adds the fields that the response to a write lacks. Ignores failed reads, because the write succeeded. */
export async function completeItem(business: Business, record: BusinessRecord): Promise<ItemRecord> {
  const { v2, v1 } = planItemRead(business, selectItem(business, 'AUTO'), 'AUTO');
  const { companyId, id } = record;
  const isExpanded = (field: string) => record[field] !== undefined;
  const view = v2 && business.plan(business.setOf('Item'), v2);
  const [expanded, recordV1] = await Promise.all([
    view?.expansions.some(({ field }) => !isExpanded(field))
      ? business.loadView(view, companyId, id).catch(() => null)
      : null,
    v1 && business.loadView(v1, companyId, id).catch(toFieldError),
  ]);
  const complete = { ...copyRecord(record), ...(expanded && copyRecord(expanded)) };
  return mergeShapes(complete, recordV1);
}

/** An item with the fields that are merged from both shapes. */
export interface ItemRecord extends BusinessRecord {
  readonly baseUnitOfMeasure?: BaseUnit | Error | null;
  readonly itemCategory?: Category | Error | null;
}

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

/**
 * Merges the shapes. v2.0 takes precedence; the ETag is that of v2.0, or null. The base unit comes from one shape alone, if
 * possible v1.0. If v1.0 was not read, its fields come from the expanded records of v2.0.
 */
export function mergeShapes(v2: BusinessRecord, v1: BusinessRecord | Error | null): ItemRecord;
export function mergeShapes(v2: null, v1: BusinessRecord | null): ItemRecord | null;
export function mergeShapes(v2: BusinessRecord | null, v1: BusinessRecord | Error | null): ItemRecord | null {
  if (v1 instanceof Error) return v2 && { ...copyRecord(v2), baseUnitOfMeasure: v1, itemCategory: v1 };
  const record = v2 ?? v1;
  if (!record) return null;
  return {
    ...(v1 && copyRecord(v1)),
    ...copyRecord(record),
    etag: v2?.etag ?? null,
    baseUnitOfMeasure: mergeBaseUnit(objectOrNull(v1?.baseUnitOfMeasure), v2),
    itemCategory: mergeCategory(v1, v2),
  };
}

/** Accepts JSON objects and expanded records. */
const objectOrNull = (value: unknown): ODataRow | null =>
  typeof value === 'object' && value !== null && !(value instanceof Error) ? (value as ODataRow) : null;

function mergeBaseUnit(unit: ODataRow | null, v2: BusinessRecord | null): BaseUnit | null {
  if (unit === null) {
    const unitCode = stringOrNull(v2?.baseUnitOfMeasureCode);
    const { displayName, symbol } = objectOrNull(v2?.unitOfMeasure) ?? {};
    return unitCode === null
      ? null
      : { unitCode, unitName: stringOrNull(displayName), symbol: stringOrNull(symbol), unitConversion: null };
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

function mergeCategory(v1: BusinessRecord | null, v2: BusinessRecord | null): Category | null {
  const category = objectOrNull(v1?.itemCategory);
  // Prefers v1.0, so that all fields of the category come from one shape if possible.
  const code =
    stringOrNull(category?.code) ?? stringOrNull(v1?.itemCategoryCode) ?? stringOrNull(v2?.itemCategoryCode);
  // The source document has the code of a category as its id in v1.0.
  const expandedId = v2?.category ? code : null;
  const categoryId = stringOrNull(category?.categoryId) ?? stringOrNull(v1?.itemCategoryId) ?? expandedId;
  const description =
    stringOrNull(category?.description) ?? stringOrNull(objectOrNull(v2?.category)?.displayName);
  return categoryId === null && code === null && description === null
    ? null
    : { categoryId, code, description };
}
