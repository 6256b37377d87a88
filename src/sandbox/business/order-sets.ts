import type { Field, Navigation, RecordSet, Reference } from './records.ts';
import {
  boolean,
  choice,
  code,
  computed,
  date,
  dateTime,
  decimal,
  guid,
  integer,
  readOnly,
  recordSet,
  text,
} from './records.ts';
import {
  byCode,
  currency,
  headerNavigations,
  parties,
  paymentTerms,
  shipmentMethod,
} from './reference-fields.ts';

/** A4 with the full addresses. `documentLines` is a field and, like `salesOrderLines`, a navigation. */
export const salesOrders: RecordSet = recordSet(
  'salesOrders',
  'salesOrder',
  [
    guid('id', readOnly),
    code('number', 20, readOnly),
    code('externalDocumentNumber', 35),
    date('orderDate'),
    date('postingDate'),
    guid('customerId'),
    code('customerNumber', 20),
    text('customerName', 100, readOnly),
    text('billToName', 100, readOnly),
    guid('billToCustomerId'),
    code('billToCustomerNumber', 20),
    text('shipToName', 100),
    text('shipToContact', 100),
    ...addressFields('sellTo'),
    ...addressFields('billTo', readOnly),
    ...addressFields('shipTo'),
    code('shortcutDimension1Code', 20),
    code('shortcutDimension2Code', 20),
    guid('currencyId'),
    code('currencyCode', 10, computed),
    boolean('pricesIncludeTax'),
    guid('paymentTermsId'),
    guid('shipmentMethodId'),
    code('salesperson', 20),
    boolean('partialShipping', computed),
    date('requestedDeliveryDate'),
    decimal('discountAmount'),
    boolean('discountAppliedBeforeTax', readOnly),
    decimal('totalAmountExcludingTax', readOnly),
    decimal('totalTaxAmount', readOnly),
    decimal('totalAmountIncludingTax', readOnly),
    boolean('fullyShipped', readOnly),
    choice('status', ['Draft', 'In Review', 'Open'], readOnly),
    dateTime('lastModifiedDateTime'),
    text('phoneNumber', 30),
    text('email', 80),
    { name: 'documentLines', kind: 'lines', ...readOnly },
  ],
  {
    navigations: [
      { name: 'documentLines', target: 'salesOrderLines' },
      { name: 'salesOrderLines', target: 'salesOrderLines' },
      ...headerNavigations,
    ],
    references: [...parties, currency, paymentTerms, shipmentMethod],
    writes: ['POST', 'PATCH', 'DELETE'],
  },
);

/** The line object of A4 and what the real service adds, under the document's names `lineNo` and `itemNo`. */
export const salesOrderLines: RecordSet = recordSet(
  'salesOrderLines',
  'salesOrderLine',
  [
    ...soldFields(decimal('invoiceDiscountAllocation', readOnly)),
    date('shipmentDate'),
    decimal('shippedQuantity', readOnly),
    decimal('invoicedQuantity', readOnly),
    decimal('invoiceQuantity'),
    decimal('shipQuantity'),
    guid('itemVariantId'),
    guid('locationId'),
  ],
  {
    navigations: [{ name: 'salesOrder', target: 'salesOrders', from: 'documentId' }, ...lineNavigations()],
    references: lineReferences(),
    linesOf: 'salesOrders',
  },
);

/** What a line of an order or a quote says about what is sold, and for how much. */
export function soldFields(...amounts: Field[]): Field[] {
  return [
    guid('id', readOnly),
    guid('documentId', readOnly),
    integer('lineNo'),
    // Lines of other kinds exist in the service but need records the sandbox lacks.
    choice('lineType', ['Item', 'Account', 'Comment']),
    code('itemNo', 20),
    guid('itemId'),
    guid('accountId'),
    text('description', 100),
    text('description2', 50),
    guid('unitOfMeasureId'),
    code('unitOfMeasureCode', 10),
    decimal('quantity'),
    decimal('unitPrice'),
    decimal('discountAmount'),
    decimal('discountPercent'),
    boolean('discountAppliedBeforeTax', readOnly),
    decimal('amountExcludingTax', readOnly),
    code('taxCode', 50),
    decimal('taxPercent', readOnly),
    decimal('totalTaxAmount', readOnly),
    decimal('amountIncludingTax', readOnly),
    ...amounts,
    decimal('netAmount', readOnly),
    decimal('netTaxAmount', readOnly),
    decimal('netAmountIncludingTax', readOnly),
  ];
}

export function lineNavigations(): Navigation[] {
  return [
    { name: 'item', target: 'items', from: 'itemId' },
    { name: 'account', target: 'accounts', from: 'accountId' },
    { name: 'unitOfMeasure', target: 'unitsOfMeasure', from: 'unitOfMeasureId' },
  ];
}

export function lineReferences(): Reference[] {
  return [
    { idField: 'itemId', codeField: 'itemNo', key: 'number', target: 'items', caption: 'Item' },
    { idField: 'accountId', target: 'accounts', caption: 'G/L Account' },
    byCode('unitOfMeasure', 'unitsOfMeasure', 'Unit of Measure'),
  ];
}

/** The six fields of an address, under the document's prefix for whose it is. */
export function addressFields(prefix: string, rules: { isReadOnly?: true } = {}): Field[] {
  return [
    text(`${prefix}AddressLine1`, 100, rules),
    text(`${prefix}AddressLine2`, 50, rules),
    text(`${prefix}City`, 30, rules),
    code(`${prefix}Country`, 10, rules),
    text(`${prefix}State`, 30, rules),
    code(`${prefix}PostCode`, 20, rules),
  ];
}
