import type { Resolvers } from '../generated/graphql.ts';
import type { Context } from '../graph/context.ts';
import type { FieldInfo } from '../graph/selection.ts';
import {
  completeExpandedItem,
  type ItemRecord,
  isExpandedItemComplete,
  loadItem,
} from './items/item-reads.ts';
import type { ItemVersion } from './items/item-shapes.ts';
import type { BusinessRecord } from './record-set.ts';

// Line types that name no item. The source document lists no types, so one that is not here may name an item.
const typesOfOtherLines: ReadonlySet<string | null> = new Set([
  'Comment',
  'Account',
  'Resource',
  'Fixed Asset',
  'Charge',
  'Allocation Account',
]);

interface ItemLine {
  /** The item, if it came with the line. */
  readonly item?: BusinessRecord | null;
  readonly companyId: string;
  readonly itemId: string | null;
  readonly itemNo: string | null;
  readonly lineType: string | null;
}

interface ItemArguments {
  readonly version?: ItemVersion | null;
}

/** The expanded item of a line; undefined if a field is selected that the expansion does not read. */
const findLineItem = (
  line: ItemLine,
  { version }: ItemArguments,
  { business }: Context,
  { selected }: FieldInfo,
) => (line.item && isExpandedItemComplete(business, selected, version ?? 'AUTO') ? line.item : undefined);

/** The item of a line. */
function loadLineItem(
  line: ItemLine,
  { version: asked }: ItemArguments,
  { business }: Context,
  { selected }: FieldInfo,
): ItemRecord | Promise<ItemRecord | null> | null {
  const { companyId, itemId, lineType: type, itemNo } = line;
  const version = asked ?? 'AUTO';
  const expanded = line.item && completeExpandedItem(business, line.item, selected, version);
  if (expanded) return expanded;
  // Columns that did not fit their kind.
  for (const value of [itemId, itemNo] as unknown[]) if (value instanceof Error) throw value;
  if (itemId) return loadItem(business, companyId, { id: itemId }, version);
  if (typesOfOtherLines.has(type) || itemNo == null || business.dialect.name === 'dynamics') return null;
  return loadItem(business, companyId, { number: itemNo }, version);
}

const resolveLineItem = { resolve: loadLineItem, extensions: { known: findLineItem } };

/** The items of lines, which the source document names by number and the real service by id. */
export const lineResolvers = {
  ...Object.fromEntries(
    ['SalesOrderLine', 'SalesQuoteLine', 'SalesInvoiceLine', 'SalesCreditMemoLine'].map((type) => [
      type,
      { item: resolveLineItem },
    ]),
  ),
  SalesShipmentLine: {
    // A line holds no id of its item.
    item: ({ companyId, lineType, itemNo }: ItemLine, { version }: ItemArguments, { business }: Context) =>
      lineType === 'Item' && itemNo !== null
        ? loadItem(business, companyId, { number: itemNo }, version ?? 'AUTO')
        : null,
  },
} as unknown as Resolvers;
