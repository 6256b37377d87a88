import type { Context } from '../graph/context.ts';
import type { EnumMapping } from '../graph/enum-mapping.ts';
import type { FieldInfo } from '../graph/selection.ts';
import type { Business } from './business.ts';
import {
  completeExpandedItem,
  type ItemRecord,
  isExpandedItemComplete,
  loadItem,
} from './items/item-reads.ts';
import { type ItemVersion, itemsV2, selectItemOfLine } from './items/item-shapes.ts';
import type { RecordFrom, RecordSet } from './record-set.ts';
import { accounts } from './records/accounts.ts';
import { currencies } from './records/currencies.ts';
import { customers } from './records/customers.ts';
import { paymentTerms } from './records/payment-terms.ts';
import { shipmentMethods } from './records/shipment-methods.ts';
import { unitsOfMeasure } from './records/units-of-measure.ts';

/** Number and customers of a sales document. */
export const partyFields = {
  id: 'uuid',
  number: 'code',
  externalDocumentNumber: 'code',
  postingDate: 'date',
  customerId: 'uuid',
  customerNumber: 'code',
  customerName: 'text',
  billToCustomerId: 'uuid',
  billToCustomerNumber: 'code',
  billToName: 'text',
} as const;

/** Who receives the goods. */
export const recipientFields = {
  shipToName: 'text',
  shipToContact: 'text',
} as const;

export const partyAddressFields = {
  sellToAddressLine1: 'text',
  sellToAddressLine2: 'text',
  sellToCity: 'text',
  sellToCountry: 'code',
  sellToState: 'text',
  sellToPostCode: 'code',
  billToAddressLine1: 'text',
  billToAddressLine2: 'text',
  billToCity: 'text',
  billToCountry: 'code',
  billToState: 'text',
  billToPostCode: 'code',
} as const;

export const deliveryAddressFields = {
  shipToAddressLine1: 'text',
  shipToAddressLine2: 'text',
  shipToCity: 'text',
  shipToCountry: 'code',
  shipToState: 'text',
  shipToPostCode: 'code',
} as const;

/** Dimensions, currency, terms and totals. */
export const termFields = {
  shortcutDimension1Code: 'code',
  shortcutDimension2Code: 'code',
  currencyId: 'uuid',
  currencyCode: 'code',
  paymentTermsId: 'uuid',
  shipmentMethodId: 'uuid',
  salesperson: 'code',
  discountAmount: 'decimal',
  totalAmountExcludingTax: 'decimal',
  totalTaxAmount: 'decimal',
  totalAmountIncludingTax: 'decimal',
} as const;

export const contactFields = {
  lastModifiedDateTime: 'dateTime',
  phoneNumber: 'text',
  email: 'text',
} as const;

/** What the headers of sales orders, quotes and invoices have in common. */
export const documentFields = {
  ...partyFields,
  ...recipientFields,
  ...partyAddressFields,
  ...deliveryAddressFields,
  ...termFields,
  ...contactFields,
} as const;

const lineType = {
  names: {
    Comment: 'COMMENT',
    Account: 'ACCOUNT',
    Item: 'ITEM',
    Resource: 'RESOURCE',
    'Fixed Asset': 'FIXED_ASSET',
    Charge: 'CHARGE',
    'Allocation Account': 'ALLOCATION_ACCOUNT',
  },
} satisfies EnumMapping;

/** Document, A4, line object, and what lines of orders, quotes, invoices and credit memos have on the real service (docs/upstream.md). */
export const lineFields = {
  id: 'uuid',
  documentId: 'uuid',
  lineType,
  lineNo: 'int',
  itemNo: 'code',
  itemId: 'uuid',
  accountId: 'uuid',
  description: 'text',
  description2: 'text',
  unitOfMeasureId: 'uuid',
  unitOfMeasureCode: 'code',
  quantity: 'decimal',
  unitPrice: 'decimal',
  discountAmount: 'decimal',
  discountPercent: 'decimal',
  discountAppliedBeforeTax: 'boolean',
  amountExcludingTax: 'decimal',
  taxCode: 'code',
  taxPercent: 'decimal',
  totalTaxAmount: 'decimal',
  amountIncludingTax: 'decimal',
  netAmount: 'decimal',
  netTaxAmount: 'decimal',
  netAmountIncludingTax: 'decimal',
  itemVariantId: 'uuid',
  locationId: 'uuid',
} as const;

/** How far an invoice or a credit memo has come. */
export const postedStatus = {
  names: {
    Draft: 'DRAFT',
    'In Review': 'IN_REVIEW',
    Open: 'OPEN',
    Paid: 'PAID',
    Canceled: 'CANCELED',
    Corrective: 'CORRECTIVE',
  },
} satisfies EnumMapping;

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
  // The source document lists no line types, so an unrecognized one may still mean an item.
  const isNoItem = type != null && type !== 'ITEM' && type !== 'UNRECOGNIZED';
  if (isNoItem || itemNo == null || business.dialect.name === 'dynamics') return null;
  return loadItem(business, companyId, { number: itemNo }, version);
}

export const resolveLineItem = { resolve: loadLineItem, extensions: { known: findLineItem } };
