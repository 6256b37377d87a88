import type { Resolvers } from '../../generated/graphql.ts';
import type { Context } from '../../graph/context.ts';
import type { FieldInfo } from '../../graph/selection.ts';
import type { BusinessRecord } from '../record-sets/record-set.ts';
import { completeExpandedItem, type ItemRecord, isExpandedItemComplete, loadItem } from './item-reads.ts';
import type { ItemVersion } from './item-shapes.ts';

// Line types without an item. The source document lists no line types, so an unknown type may have an item.
const lineTypesWithoutItem: ReadonlySet<string | null> = new Set([
  'Comment',
  'Account',
  'Resource',
  'Fixed Asset',
  'Charge',
  'Allocation Account',
]);

interface ItemLine {
  /** The expanded item; undefined if it was not expanded. */
  readonly item?: BusinessRecord | null;
  readonly companyId: string;
  readonly itemId: string | null;
  readonly itemNo: string | null;
  readonly lineType: string | null;
}

interface ItemArguments {
  readonly version?: ItemVersion | null;
}

/** The expanded item of a line; undefined if it lacks a selected field. */
const findLineItem = (
  line: ItemLine,
  { version }: ItemArguments,
  { business }: Context,
  { selected }: FieldInfo,
) => (line.item && isExpandedItemComplete(business, selected, version ?? 'AUTO') ? line.item : undefined);

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
  // The value of a column that does not fit its kind is an error.
  for (const value of [itemId, itemNo] as unknown[]) if (value instanceof Error) throw value;
  if (itemId) return loadItem(business, companyId, { id: itemId }, version);
  if (lineTypesWithoutItem.has(type) || itemNo == null || business.dialect.name === 'dynamics') return null;
  return loadItem(business, companyId, { number: itemNo }, version);
}

const resolveLineItem = { resolve: loadLineItem, extensions: { readFromSource: findLineItem } };

/** Lines of the source document have item numbers, lines of the real service item ids. */
export const lineResolvers = {
  ...Object.fromEntries(
    ['SalesOrderLine', 'SalesQuoteLine', 'SalesInvoiceLine', 'SalesCreditMemoLine'].map((type) => [
      type,
      { item: resolveLineItem },
    ]),
  ),
  SalesShipmentLine: {
    // A shipment line has no item id.
    item: ({ companyId, lineType, itemNo }: ItemLine, { version }: ItemArguments, { business }: Context) =>
      lineType === 'Item' && itemNo !== null
        ? loadItem(business, companyId, { number: itemNo }, version ?? 'AUTO')
        : null,
  },
} as unknown as Resolvers;
