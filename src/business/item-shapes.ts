import type { Choice } from '../graph/choice.ts';
import { decimalText } from '../graph/decimal.ts';
import type { Selection } from '../graph/selection.ts';
import { isObject, textOrNull } from '../upstream/json.ts';
import type { Row } from '../upstream/odata.ts';
import type { RecordOf, RecordSet } from './records.ts';
import { createView, type View } from './views.ts';

export type ItemVersion = 'AUTO' | 'V1' | 'V2';

const itemType = {
  names: { Inventory: 'INVENTORY', Service: 'SERVICE', 'Non-Inventory': 'NON_INVENTORY' },
} satisfies Choice;

const shared = {
  id: 'uuid',
  number: 'text',
  displayName: 'text',
  type: itemType,
  blocked: 'boolean',
  gtin: 'text',
  inventory: 'decimal',
  unitPrice: 'decimal',
  priceIncludesTax: 'boolean',
  unitCost: 'decimal',
  taxGroupId: 'uuid',
  taxGroupCode: 'text',
  baseUnitOfMeasureId: 'uuid',
  lastModifiedDateTime: 'dateTime',
} as const;

const onlyInV2 = {
  displayName2: 'text',
  itemCategoryId: 'uuid',
  itemCategoryCode: 'text',
  baseUnitOfMeasureCode: 'text',
  generalProductPostingGroupId: 'uuid',
  generalProductPostingGroupCode: 'text',
  inventoryPostingGroupId: 'uuid',
  inventoryPostingGroupCode: 'text',
} as const;

/** Document, A2. Fields the document does not list come from the real service (docs/upstream.md). */
export const itemsV2 = {
  type: 'Item',
  entitySet: 'items',
  apiVersion: 'v2.0',
  fields: { ...shared, ...onlyInV2 },
  needs: { itemCategory: ['itemCategoryCode'], baseUnitOfMeasure: ['baseUnitOfMeasureCode'] },
} as const satisfies RecordSet;

/** Document, A3. The category may also come as id and code: the real v1.0 writes it so (docs/upstream.md). */
export const itemsV1 = {
  type: 'Item',
  entitySet: 'items',
  apiVersion: 'v1.0',
  fields: {
    ...shared,
    baseUnitOfMeasure: 'object',
    itemCategory: 'object',
    itemCategoryId: 'uuid',
    itemCategoryCode: 'text',
  },
} as const satisfies RecordSet;

type FieldsV2 = (typeof itemsV2)['fields'];
type FieldsV1 = (typeof itemsV1)['fields'];

/** The shapes to read for one version of the items an operation asks for. At least one is there. */
export interface ItemPlan {
  readonly v2: View<FieldsV2> | null;
  readonly v1: View<FieldsV1> | null;
}

const plans = new WeakMap<Selection, Map<ItemVersion, ItemPlan>>();

/** The fewest shapes that cover what an operation selects of items under this version, made once per selection. */
export function itemPlanOf(selection: Selection, version: ItemVersion): ItemPlan {
  const known = plans.get(selection) ?? new Map<ItemVersion, ItemPlan>();
  plans.set(selection, known);
  const plan = known.get(version) ?? planItems(selection, version);
  known.set(version, plan);
  return plan;
}

function planItems(selection: Selection, version: ItemVersion): ItemPlan {
  const selected = new Set(selection.fields('Item', version));
  // A document line may know its item by number only, and rows are matched by what they were asked by.
  if (selection.fields('SalesOrderLine').has('item')) selected.add('number');
  const unit = selection.fields('ItemBaseUnitOfMeasure', version);
  const category = selection.fields('ItemCategoryReference', version);

  const needsV1 =
    ['unitName', 'symbol', 'unitConversion'].some((field) => unit.has(field)) ||
    ['categoryId', 'description'].some((field) => category.has(field));
  const needsV2 =
    [...Object.keys(onlyInV2), 'etag'].some((field) => selected.has(field)) || category.has('code');

  if (version === 'V1' || (version === 'AUTO' && needsV1 && !needsV2)) {
    return { v2: null, v1: viewOfV1(selected, selection) };
  }
  const v2 = createView(itemsV2, selected, selection);
  if (version === 'V2' || !needsV1) return { v2, v1: null };
  const rest = ['number', 'baseUnitOfMeasure', 'itemCategory'].filter((field) => selected.has(field));
  return { v2, v1: viewOfV1(new Set(rest), selection) };
}

const categoryFields = ['itemCategory', 'itemCategoryId', 'itemCategoryCode'];

function viewOfV1(selected: ReadonlySet<string>, selection: Selection): View<FieldsV1> {
  const view = createView(itemsV1, selected, selection);
  if (!categoryFields.some((field) => selected.has(field))) return view;
  // Which of its forms the category has is not known, and naming one that is not there is an error upstream.
  return { ...view, columns: [...new Set([...view.columns, ...categoryFields])], options: {} };
}

/** An item with what each shape that was read adds to it. */
export type ItemRecord = Pick<RecordOf<FieldsV2>, 'companyId' | 'id' | 'etag'> &
  Partial<RecordOf<FieldsV2>> & {
    readonly baseUnitOfMeasure: BaseUnit | null;
    readonly itemCategory: Category | null;
    /** Why the v1.0 shape could not be read beside the v2.0 one; its fields answer with this. */
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

/** Lays the shapes of one item together. Where both have a field, v2.0 speaks; the etag is v2.0's or null. */
export function mergeShapes(v2: RecordOf<FieldsV2> | null, v1: RecordOf<FieldsV1> | null): ItemRecord | null {
  const record = v2 ?? v1;
  if (!record) return null;
  return {
    ...v1,
    ...record,
    etag: v2?.etag ?? null,
    baseUnitOfMeasure: baseUnitOf(v1?.baseUnitOfMeasure ?? null, v2?.baseUnitOfMeasureCode ?? null),
    itemCategory: categoryOf(v1, v2?.itemCategoryCode ?? null),
  };
}

function baseUnitOf(unit: Row | null, codeV2: string | null): BaseUnit | null {
  const unitCode = codeV2 ?? textOrNull(unit?.unitCode);
  if (unit === null && unitCode === null) return null;
  const conversion = unit?.unitConversion;
  return {
    unitCode,
    unitName: textOrNull(unit?.unitName),
    symbol: textOrNull(unit?.symbol),
    unitConversion: isObject(conversion)
      ? {
          toUnitOfMeasure: textOrNull(conversion.toUnitOfMeasure),
          fromToConversionRate: decimalText(conversion.fromToConversionRate),
        }
      : null,
  };
}

function categoryOf(v1: RecordOf<FieldsV1> | null, codeV2: string | null): Category | null {
  const category = v1?.itemCategory ?? null;
  const categoryId = textOrNull(category?.categoryId) ?? v1?.itemCategoryId ?? null;
  const code = codeV2 ?? v1?.itemCategoryCode ?? textOrNull(category?.code);
  const description = textOrNull(category?.description);
  return categoryId === null && code === null && description === null
    ? null
    : { categoryId, code, description };
}
