import type { EnumMapping } from '../graph/enum-mapping.ts';

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
