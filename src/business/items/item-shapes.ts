import type { EnumMapping } from '../../graph/enum-mapping.ts';
import { mergeObjects, type SelectedObject, selectMore, selectNothing } from '../../graph/selected-object.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import { selectColumns } from '../columns.ts';
import type { Dialect } from '../dialect.ts';
import { createView, type View } from '../reading/views.ts';
import type { RecordSet } from '../record-set.ts';
import { itemCategories } from '../records/item-categories.ts';
import { unitsOfMeasure } from '../records/units-of-measure.ts';

export type ItemVersion = 'AUTO' | 'V1' | 'V2';

const itemType = {
  names: { Inventory: 'INVENTORY', Service: 'SERVICE', 'Non-Inventory': 'NON_INVENTORY' },
} satisfies EnumMapping;

const sharedFields = {
  id: 'uuid',
  number: 'code',
  displayName: 'text',
  type: itemType,
  blocked: 'boolean',
  gtin: 'code',
  inventory: 'decimal',
  unitPrice: 'decimal',
  priceIncludesTax: 'boolean',
  unitCost: 'decimal',
  taxGroupId: 'uuid',
  taxGroupCode: 'code',
  baseUnitOfMeasureId: 'uuid',
  lastModifiedDateTime: 'dateTime',
} as const;

const v2OnlyFields = {
  displayName2: 'text',
  itemCategoryId: 'uuid',
  itemCategoryCode: 'code',
  baseUnitOfMeasureCode: 'code',
  generalProductPostingGroupId: 'uuid',
  generalProductPostingGroupCode: 'code',
  inventoryPostingGroupId: 'uuid',
  inventoryPostingGroupCode: 'code',
} as const;

/** Document, A2. Fields the document does not list come from the real service (docs/upstream.md). */
export const itemsV2 = {
  type: 'Item',
  entitySet: 'items',
  route: 'v2.0',
  fields: { ...sharedFields, ...v2OnlyFields },
  relations: {
    category: { target: itemCategories, idColumn: 'itemCategoryId', navigations: ['itemCategory'] },
    unitOfMeasure: {
      target: unitsOfMeasure,
      idColumn: 'baseUnitOfMeasureId',
      navigations: ['unitOfMeasure'],
    },
  },
  sourceColumns: {
    itemCategory: ['itemCategoryCode'],
    baseUnitOfMeasure: ['baseUnitOfMeasureCode'],
    picture: ['number'],
  },
  columnsOutsideEtag: ['inventory'],
} as const satisfies RecordSet;

/** Document, A3. The category may also come as id and code: the real v1.0 writes it so (docs/upstream.md). */
export const itemsV1 = {
  type: 'Item',
  entitySet: 'items',
  route: 'v1.0',
  fields: {
    ...sharedFields,
    baseUnitOfMeasure: 'object',
    itemCategory: 'object',
    itemCategoryId: 'uuid',
    itemCategoryCode: 'code',
  },
  relations: {
    category: { target: itemCategories, idColumn: 'itemCategoryId' },
    unitOfMeasure: { target: unitsOfMeasure, idColumn: 'baseUnitOfMeasureId' },
  },
  sourceColumns: { picture: ['number'] },
} as const satisfies RecordSet;

export type FieldsV2 = (typeof itemsV2)['fields'];
export type FieldsV1 = (typeof itemsV1)['fields'];

/** The shapes to read for one version of the items at a place. At least one is there. */
export interface ItemPlan {
  /** What is read in the v2.0 shape; null if nothing is. */
  readonly v2: SelectedObject | null;
  readonly v1: View<FieldsV1> | null;
  /** Whether fields are selected that are merged from both shapes. */
  readonly hasMergedFields: boolean;
}

/** What decides a plan besides the selection. */
export interface ItemPlanOptions {
  readonly dialect: Dialect;
  /** Whether a filter or an order uses a column that only v2.0 has. */
  readonly usesV2OnlyColumns?: boolean;
  /** Whether the item is loaded by number: loaders match rows by the key that was requested. */
  readonly isLoadedByNumber?: boolean;
}

const plansByDialect = new WeakMap<Dialect, WeakMap<SelectedObject, Map<string, ItemPlan>>>();

/** The fewest shapes that cover what is selected of items under this version, made once per selection. */
export function getItemPlan(item: SelectedObject, version: ItemVersion, options: ItemPlanOptions): ItemPlan {
  const { dialect, usesV2OnlyColumns, isLoadedByNumber } = options;
  const ofDialect = getOrCompute(plansByDialect, dialect, () => new WeakMap());
  const ofSelection = getOrCompute(ofDialect, item, () => new Map());
  // Looked up for each row: without options, the key is the version itself.
  const key = version + (usesV2OnlyColumns ? ' columns' : '') + (isLoadedByNumber ? ' number' : '');
  return getOrCompute(ofSelection, key, () => {
    const hasMergedFields = mergedFields.some((field) => item.fields.has(field));
    return { ...planShapes(item, version, options), hasMergedFields };
  });
}

/** What `$expand` reads of the items of a line: the v2.0 shape of those that need it; null for none. */
export function selectItemOfLine(
  line: SelectedObject,
  dialect: Dialect,
  field = 'item',
): SelectedObject | null {
  const [auto, v2] = (['AUTO', 'V2'] as const).map((version) => {
    const item = line.below(field, version);
    return item.fields.size === 0 ? null : getItemPlan(item, version, { dialect }).v2;
  });
  return auto && v2 ? mergeObjects(auto, v2) : (auto ?? v2 ?? null);
}

/** The columns named that the v1.0 shape lacks. */
export const columnsOnlyInV2 = (columns: readonly string[]): string[] =>
  columns.filter((column) => Object.hasOwn(v2OnlyFields, column));

const mergedFields = ['baseUnitOfMeasure', 'itemCategory'];

function planShapes(
  item: SelectedObject,
  version: ItemVersion,
  { dialect, usesV2OnlyColumns, isLoadedByNumber }: ItemPlanOptions,
): Pick<ItemPlan, 'v2' | 'v1'> {
  const selected = isLoadedByNumber ? selectMore(item, ['number']) : item;
  const unit = item.below('baseUnitOfMeasure').fields;
  const category = item.below('itemCategory').fields;

  const needsUnit = ['unitName', 'symbol', 'unitConversion'].some((field) => unit.has(field));
  const needsCategory = ['categoryId', 'description'].some((field) => category.has(field));
  const needsV1 = needsUnit || needsCategory;
  const needsV2 =
    usesV2OnlyColumns ||
    [...Object.keys(v2OnlyFields), 'etag', 'category'].some((field) => item.fields.has(field)) ||
    category.has('code');

  if (version === 'V1' || (version === 'AUTO' && dialect.hasItemV1 && needsV1 && !needsV2))
    return { v2: null, v1: createV1View(selected, dialect) };
  if (version === 'AUTO' && !dialect.hasItemV1) {
    const names = [...(needsUnit ? ['unitOfMeasure'] : []), ...(needsCategory ? ['category'] : [])];
    return { v2: withNameSources(selected, names), v1: null };
  }
  if (version === 'V2' || !needsV1) return { v2: selected, v1: null };
  const rest = ['number', ...mergedFields].filter((field) => selected.fields.has(field));
  return { v2: selected, v1: createV1View(selectMore(selectNothing, rest), dialect) };
}

// What the names of units and categories are read from where v1.0 does not give them.
const nameSources: Readonly<Record<string, readonly string[]>> = {
  unitOfMeasure: ['displayName', 'symbol'],
  category: ['displayName'],
};

function withNameSources(item: SelectedObject, names: readonly string[]): SelectedObject {
  const { fields, below } = selectMore(item, names);
  const sourcesOf = (field: string) => (names.includes(field) ? (nameSources[field] ?? []) : []);
  return { fields, below: (field, version) => selectMore(below(field, version), sourcesOf(field)) };
}

const categoryFields = ['itemCategory', 'itemCategoryId', 'itemCategoryCode'];

function createV1View(selected: SelectedObject, dialect: Dialect): View<FieldsV1> {
  const view = createView(itemsV1, dialect, selected);
  const { fields } = selected;
  if (![...categoryFields, 'category'].some((field) => fields.has(field))) return view;
  // The form of the category is unknown, and selecting a missing column is an error upstream, so no `$select` is sent.
  const columns = selectColumns(itemsV1, dialect, ['id', ...fields, ...categoryFields]);
  return { ...view, columns, options: {}, query: '' };
}
