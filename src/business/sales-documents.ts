import type { Resolvers } from '../generated/graphql.ts';
import type { Choice } from '../graph/choice.ts';
import type { Context } from '../graph/context.ts';
import { type AccountRecord, accounts } from './accounts.ts';
import type { Business } from './business.ts';
import { type CurrencyRecord, currencies } from './currencies.ts';
import { type CustomerRecord, customers } from './customers.ts';
import type { ItemVersion } from './item-shapes.ts';
import { loadItem } from './items.ts';
import { type PaymentTermRecord, paymentTerms } from './payment-terms.ts';
import type { RecordSet } from './records.ts';
import { reference } from './resolvers.ts';
import { type ShipmentMethodRecord, shipmentMethods } from './shipment-methods.ts';
import { type UnitOfMeasureRecord, unitsOfMeasure } from './units-of-measure.ts';

/** What the headers of sales orders and sales quotes have in common. */
export const documentFields = {
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
  shipToName: 'text',
  shipToContact: 'text',
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
  shipToAddressLine1: 'text',
  shipToAddressLine2: 'text',
  shipToCity: 'text',
  shipToCountry: 'code',
  shipToState: 'text',
  shipToPostCode: 'code',
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
  lastModifiedDateTime: 'dateTime',
  phoneNumber: 'text',
  email: 'text',
} as const;

export const documentNeeds = {
  customer: ['customerId'],
  billToCustomer: ['billToCustomerId'],
  paymentTerm: ['paymentTermsId'],
  currency: ['currencyId'],
  shipmentMethod: ['shipmentMethodId'],
} as const;

export const documentExpansions = {
  paymentTerm: { navigations: ['paymentTerm'], shape: paymentTerms, isMany: false },
  currency: { navigations: ['currency'], shape: currencies, isMany: false },
  shipmentMethod: { navigations: ['shipmentMethod'], shape: shipmentMethods, isMany: false },
} as const;

/** The relations of a header that came with it by `$expand`. */
export interface ExpandedDocument {
  readonly paymentTerm?: PaymentTermRecord | null;
  readonly currency?: CurrencyRecord | null;
  readonly shipmentMethod?: ShipmentMethodRecord | null;
}

/**
 * A document with its lines where they are selected. The answer to a write shows them only on some upstreams;
 * elsewhere it is read again. It has been written by then, so a failure to read must not look like one to write.
 */
export async function withLines<Document extends { readonly companyId: string; readonly id: string }>(
  { selection, load }: Business,
  set: RecordSet,
  document: Document,
  lines: keyof Document & string,
): Promise<Document> {
  if (document[lines] != null || !selection.fields(set.type).has(lines)) return document;
  const read = await load(set, document.companyId, document.id).catch(() => null);
  return (read as Document | null) ?? document;
}

interface DocumentKeys extends ExpandedDocument {
  readonly companyId: string;
  readonly customerId: string | null;
  readonly billToCustomerId: string | null;
}

const loadCustomer = (
  { business }: Context,
  companyId: string,
  id: string | null,
): Promise<CustomerRecord | null> | null => (id === null ? null : business.load(customers, companyId, id));

export const documentResolvers = {
  customer: ({ companyId, customerId }: DocumentKeys, _args: unknown, context: Context) =>
    loadCustomer(context, companyId, customerId),
  billToCustomer: ({ companyId, billToCustomerId }: DocumentKeys, _args: unknown, context: Context) =>
    loadCustomer(context, companyId, billToCustomerId),
  paymentTerm: reference('paymentTerm', 'paymentTermsId', paymentTerms),
  currency: reference('currency', 'currencyId', currencies),
  shipmentMethod: reference('shipmentMethod', 'shipmentMethodId', shipmentMethods),
};

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
} satisfies Choice;

/** Document, A4, line object, and what lines of orders and quotes have on the real service (docs/upstream.md). */
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

/** What both kinds of lines are beyond their fields. The document names items by number, the real service by id. */
export const lineShape = {
  needs: { item: ['lineType', 'itemNo'], account: ['accountId'], unitOfMeasure: ['unitOfMeasureId'] },
  expansions: {
    account: { navigations: ['account'], shape: accounts, isMany: false },
    unitOfMeasure: { navigations: ['unitOfMeasure'], shape: unitsOfMeasure, isMany: false },
  },
  dialects: {
    dynamics: { names: { lineNo: 'sequence', itemNo: 'lineObjectNumber' }, needs: { item: ['itemId'] } },
  },
} as const;

/** The relations of a line that came with it by `$expand`. */
export interface ExpandedLine {
  readonly account?: AccountRecord | null;
  readonly unitOfMeasure?: UnitOfMeasureRecord | null;
}

interface LineKeys {
  readonly companyId: string;
  readonly itemId: string | null;
  readonly itemNo: string | null;
  readonly lineType: string | null;
}

export const lineResolvers = {
  item(
    { companyId, itemId, lineType: type, itemNo }: LineKeys,
    { version }: { version?: ItemVersion | null },
    { business }: Context,
  ) {
    if (itemId) return loadItem(business, companyId, { id: itemId }, version ?? 'AUTO');
    // The document lists no line types: a word that is not known may still mean an item.
    const isOther = type != null && type !== 'ITEM' && type !== 'UNRECOGNIZED';
    if (isOther || itemNo == null || business.dialect.name === 'dynamics') return null;
    return loadItem(business, companyId, { number: itemNo }, version ?? 'AUTO');
  },
  account: reference('account', 'accountId', accounts),
  unitOfMeasure: reference('unitOfMeasure', 'unitOfMeasureId', unitsOfMeasure),
} satisfies Resolvers['SalesOrderLine'] & Resolvers['SalesQuoteLine'];
