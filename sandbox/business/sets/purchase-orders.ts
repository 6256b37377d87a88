import { seedPurchaseLine } from '../../seed/order-lines.ts';
import { seededRecords, seededTime } from '../../seed/values.ts';
import { derivedGuid, elementAt } from '../../seeded.ts';
import {
  addressFields,
  boughtFields,
  currencyReference,
  lineNavigations,
  lineReferences,
  paymentTermsReference,
  purchaseNavigations,
  shipmentMethodReference,
  vendorReferences,
} from '../documents/document-fields.ts';
import {
  copyPartyFields,
  copyPayerFields,
  copyShipToFields,
  vendorParty,
} from '../documents/order-parties.ts';
import { calculateTotals } from '../documents/totals.ts';
import {
  choiceField,
  type EntitySet,
  entitySet,
  fieldsOf,
  type RecordValues,
  readOnly,
  type SeedContext,
  type SeedRecord,
  unsetDate,
} from '../entity-set.ts';
import { idOf } from '../store.ts';
import { blankValues } from '../writes/field-values.ts';

/** Lines of purchase orders, under the names of the real service in both dialects. */
export const purchaseOrderLines: EntitySet = entitySet(
  'purchaseOrderLines',
  'purchaseOrderLine',
  [
    ...boughtFields('directUnitCost'),
    ...fieldsOf(`
      expectedReceiptDate date, receivedQuantity decimal readonly, invoicedQuantity decimal readonly,
      invoiceQuantity decimal, receiveQuantity decimal, itemVariantId guid, locationId guid
    `),
  ],
  {
    navigations: [
      { name: 'purchaseOrder', target: 'purchaseOrders', from: 'documentId' },
      ...lineNavigations(),
    ],
    references: lineReferences(),
    linesOf: 'purchaseOrders',
  },
);

/** Purchase orders of the real service, which are shipped to the company itself. */
export const purchaseOrders: EntitySet = entitySet(
  'purchaseOrders',
  'purchaseOrder',
  [
    ...fieldsOf(`
      id guid readonly, number code 20 readonly, orderDate date, postingDate date, vendorId guid,
      vendorNumber code 20, vendorName text 100 readonly, payToName text 100 readonly,
      payToVendorId guid, payToVendorNumber code 20, shipToName text 100, shipToContact text 100
    `),
    ...addressFields('buyFrom'),
    ...addressFields('payTo', 'readonly'),
    ...addressFields('shipTo'),
    ...fieldsOf(`
      shortcutDimension1Code code 20, shortcutDimension2Code code 20, currencyId guid,
      currencyCode code 10 computed, pricesIncludeTax boolean, paymentTermsId guid,
      shipmentMethodId guid, purchaser code 20, requestedReceiptDate date, discountAmount decimal,
      discountAppliedBeforeTax boolean readonly, totalAmountExcludingTax decimal readonly,
      totalTaxAmount decimal readonly, totalAmountIncludingTax decimal readonly,
      fullyReceived boolean readonly
    `),
    choiceField('status', ['Draft', 'In Review', 'Open'], readOnly),
    ...fieldsOf('lastModifiedDateTime dateTime'),
  ],
  {
    navigations: [{ name: 'purchaseOrderLines', target: 'purchaseOrderLines' }, ...purchaseNavigations],
    references: [...vendorReferences, currencyReference, paymentTermsReference, shipmentMethodReference],
    files: ['pdfDocument'],
    writes: ['POST', 'PATCH', 'DELETE'],
    numberSeries: { name: 'P-ORD', prefix: 'P-ORD', first: 106_001, step: 1, digits: 6, isManual: false },
    document: {
      caption: 'Purchase Order',
      party: vendorParty,
      lines: purchaseOrderLines,
      defaults: (today, company) => ({
        orderDate: today,
        postingDate: today,
        discountAppliedBeforeTax: true,
        ...copyShipToFields(company),
      }),
      lineDefaults: (order, { quantity = 0 }) => ({
        expectedReceiptDate: receiptDateOf(order),
        invoiceQuantity: quantity,
        receiveQuantity: quantity,
      }),
    },
    seed: { counts: [60, 20], record: seedPurchaseOrder },
  },
);

/** The requested receipt date or, where none is requested, the order date. */
function receiptDateOf({ requestedReceiptDate = unsetDate, orderDate = unsetDate }: RecordValues) {
  return requestedReceiptDate === unsetDate ? orderDate : requestedReceiptDate;
}

/** One order of the number series, P-ORD106001 first, with one to four lines. Every fifth is received in full. */
function seedPurchaseOrder({ set, company, random }: SeedContext, index: number): SeedRecord {
  const vendors = seededRecords(company, 'vendors');
  const vendor = elementAt(vendors, index * 3 + 1).values;
  const payer = index % 20 === 7 ? elementAt(vendors, index * 3 + 2).values : vendor;
  const orderDate = seededTime(index * 40).slice(0, 10);
  const fullyReceived = index % 5 === 4;
  const header: RecordValues = {
    ...blankValues(set),
    ...copyPartyFields(vendorParty, vendor),
    ...copyPayerFields(vendorParty, payer),
    ...copyShipToFields(company),
    id: derivedGuid(`${idOf(company.record)}:purchaseOrders:${index}`),
    number: `P-ORD${106_001 + index}`,
    orderDate,
    postingDate: orderDate,
    shipToContact: random.oneIn(2) ? 'Goods inward' : '',
    requestedReceiptDate: random.oneIn(3) ? unsetDate : seededTime(index * 40 + 120).slice(0, 10),
    shortcutDimension1Code: random.pick(['', 'PROD', 'PROJECT']),
    purchaser: random.pick(['RL', 'TP', '']),
    discountAmount: index % 10 === 6 ? random.between(1, 5) : 0,
    discountAppliedBeforeTax: true,
    fullyReceived,
    status: fullyReceived ? 'Open' : elementAt(['Draft', 'Open', 'Open', 'In Review'], index),
    lastModifiedDateTime: seededTime(index * 40 + 8),
  };
  const lines = Array.from({ length: 1 + (index % 4) }, (_, lineIndex) => ({
    ...seedPurchaseLine(company, header, vendor, purchaseOrderLines, index, lineIndex, random),
    expectedReceiptDate: receiptDateOf(header),
  }));
  const totalled = calculateTotals(header, lines, vendorParty.priceField);
  return { values: totalled.order, lines: totalled.lines };
}
