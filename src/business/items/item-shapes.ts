import { mergeObjects, type SelectedObject, selectMore, selectNothing } from '../../graph/selected-object.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import { createView, type View } from '../reading/views.ts';
import { selectColumns } from '../record-sets/columns.ts';
import type { Dialect } from '../record-sets/dialect.ts';
import type { RecordSet } from '../record-sets/record-set.ts';

export type ItemVersion = 'AUTO' | 'V1' | 'V2';

/** Columns that the v1.0 shape lacks. */
const v2OnlyFields: ReadonlySet<string> = new Set([
  'displayName2',
  'itemCategoryId',
  'itemCategoryCode',
  'baseUnitOfMeasureCode',
  'generalProductPostingGroupId',
  'generalProductPostingGroupCode',
  'inventoryPostingGroupId',
  'inventoryPostingGroupCode',
]);

/** Source document, section A3. The real v1.0 has the id and code of the category instead of an object (docs/upstream.md). */
export const itemsV1: RecordSet = {
  type: 'Item',
  entitySet: 'items',
  route: 'v1.0',
  fields: {
    id: 'uuid',
    number: 'code',
    displayName: 'text',
    type: 'word',
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
    baseUnitOfMeasure: 'object',
    itemCategory: 'object',
    itemCategoryId: 'uuid',
    itemCategoryCode: 'code',
  },
  sourceColumns: {
    picture: ['number'],
    category: ['itemCategoryId'],
    unitOfMeasure: ['baseUnitOfMeasureId'],
  },
};

/** The shapes to read. At least one is not null. */
export interface ItemPlan {
  /** The fields to read in the v2.0 shape; null to read no v2.0. */
  readonly v2: SelectedObject | null;
  readonly v1: View | null;
  /** Whether a selected field is merged from both shapes. */
  readonly hasMergedFields: boolean;
}

export interface ItemPlanOptions {
  readonly dialect: Dialect;
  /** Whether a filter, an order or an extension uses a column that only v2.0 has. */
  readonly usesV2OnlyColumns?: boolean;
  /** Whether the item is loaded by number, so that the loader needs the column to match rows to keys. */
  readonly isLoadedByNumber?: boolean;
}

const plansByDialect = new WeakMap<Dialect, WeakMap<SelectedObject, Map<string, ItemPlan>>>();

/** Plans the fewest shapes that cover a selection of items. Plans are cached by selection. */
export function getItemPlan(item: SelectedObject, version: ItemVersion, options: ItemPlanOptions): ItemPlan {
  const { dialect, usesV2OnlyColumns, isLoadedByNumber } = options;
  const ofDialect = getOrCompute(plansByDialect, dialect, () => new WeakMap());
  const ofSelection = getOrCompute(ofDialect, item, () => new Map());
  // The plan is looked up for each row, so the common key is a constant string.
  const key = version + (usesV2OnlyColumns ? ' columns' : '') + (isLoadedByNumber ? ' number' : '');
  return getOrCompute(ofSelection, key, () => {
    const hasMergedFields = mergedFields.some((field) => item.fields.has(field));
    return { ...planShapes(item, version, options), hasMergedFields };
  });
}

/** The fields to expand of the item of a line, in the v2.0 shape; null if no v2.0 is needed. */
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

/** The columns among these that the v1.0 shape lacks. */
export const columnsOnlyInV2 = (columns: readonly string[]): string[] =>
  columns.filter((column) => v2OnlyFields.has(column));

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
    [...v2OnlyFields, 'etag', 'category'].some((field) => item.fields.has(field)) ||
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

// Relations of v2.0 that replace fields of v1.0.
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

function createV1View(selected: SelectedObject, dialect: Dialect): View {
  const view = createView(itemsV1, dialect, selected);
  const { fields } = selected;
  if (![...categoryFields, 'category'].some((field) => fields.has(field))) return view;
  // No `$select`: the columns of the category differ between upstreams, and selecting a missing column is an error.
  const columns = selectColumns(itemsV1, dialect, ['id', ...fields, ...categoryFields]);
  return { ...view, columns, options: {}, query: '' };
}
