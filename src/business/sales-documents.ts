import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../graph/context.ts';
import type { Business } from './business.ts';
import type { ItemRecord } from './items/item-merging.ts';
import { completeExpandedItem, loadItem } from './items/item-reads.ts';
import { type ItemVersion, itemsV2, selectItemOfLine } from './items/item-shapes.ts';
import type { RecordFrom, RecordSet } from './record-set.ts';
import { accounts } from './records/accounts.ts';
import { currencies } from './records/currencies.ts';
import { customers } from './records/customers.ts';
import { paymentTerms } from './records/payment-terms.ts';
import { shipmentMethods } from './records/shipment-methods.ts';
import { unitsOfMeasure } from './records/units-of-measure.ts';

export const documentRelations = {
  customer: {
    target: customers,
    idColumn: 'customerId',
    navigations: ['customer'],
    isForWrites: false,
  },
  billToCustomer: { target: customers, idColumn: 'billToCustomerId' },
  paymentTerm: { target: paymentTerms, idColumn: 'paymentTermsId', navigations: ['paymentTerm'] },
  currency: { target: currencies, idColumn: 'currencyId', navigations: ['currency'] },
  shipmentMethod: { target: shipmentMethods, idColumn: 'shipmentMethodId', navigations: ['shipmentMethod'] },
} as const;

/**
 * A document with its lines where they are selected. Only some upstreams show them in the response to a write; from the
 * others the document is read again. A failure to read is ignored: the write has been carried out.
 */
export async function readMissingLines(
  { selection, load }: Business,
  set: RecordSet,
  document: object,
  lines: string,
): Promise<object> {
  const { companyId, id, [lines]: known } = document as Readonly<Record<string, string>>;
  if (known != null || !selection.ofType(set.type).fields.has(lines)) return document;
  const read = await load(set, companyId as string, id as string).catch(() => null);
  return read ?? document;
}

/** What lines have beside their columns. The source document shows an item's number, the real service its id. */
export const lineShape = {
  relations: {
    item: { target: itemsV2, navigations: ['item'], isForWrites: false, select: selectItemOfLine },
    account: { target: accounts, idColumn: 'accountId', navigations: ['account'] },
    unitOfMeasure: { target: unitsOfMeasure, idColumn: 'unitOfMeasureId', navigations: ['unitOfMeasure'] },
  },
  ownerFields: ['currencyCode'],
  sourceColumns: { item: ['lineType', 'itemNo'] },
  dialects: {
    // Its lines have no ids of these: `$expand` alone leads to them.
    document: { sourceColumns: { account: [], unitOfMeasure: [] } },
    dynamics: {
      names: { lineNo: 'sequence', itemNo: 'lineObjectNumber' },
      sourceColumns: { item: ['itemId'] },
    },
  },
} as const;

interface ItemLine {
  /** Where it came with the line. */
  readonly item?: RecordFrom<typeof itemsV2> | null;
  readonly companyId: string;
  readonly itemId: string | null;
  readonly itemNo: string | null;
  readonly lineType: string | null;
}

/** The item of a line. */
export function resolveLineItem(
  line: ItemLine,
  { version: asked }: { version?: ItemVersion | null },
  { business }: Context,
  info: GraphQLResolveInfo,
): ItemRecord | Promise<ItemRecord | null> | null {
  const { companyId, itemId, lineType: type, itemNo } = line;
  const version = asked ?? 'AUTO';
  const expanded = line.item && completeExpandedItem(business, line.item, info, version);
  if (expanded) return expanded;
  // Columns that did not fit their kind.
  for (const value of [itemId, itemNo] as unknown[]) if (value instanceof Error) throw value;
  if (itemId) return loadItem(business, companyId, { id: itemId }, version);
  // The source document lists no line types, so an unrecognized one may still mean an item.
  const isNoItem = type != null && type !== 'ITEM' && type !== 'UNRECOGNIZED';
  if (isNoItem || itemNo == null || business.dialect.name === 'dynamics') return null;
  return loadItem(business, companyId, { number: itemNo }, version);
}
