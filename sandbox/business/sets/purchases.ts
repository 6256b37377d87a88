import { elementAt } from '../../seeded.ts';
import {
  amountFields,
  boughtFields,
  linesOf,
  lineWrites,
  purchaseReferences,
  shipToFields,
  termNavigations,
} from '../documents/document-fields.ts';
import { copyFields, copyShipToFields, partyOf, vendorParty } from '../documents/order-parties.ts';
import { postAmounts } from '../documents/posted-documents.ts';
import { calculateTotals, dueDateOf, numberField } from '../documents/totals.ts';
import {
  type EntitySet,
  entitySet,
  fieldsOf,
  type RecordValues,
  type SeedContext,
  type SeedRecord,
  unsetDate,
} from '../entity-set.ts';
import { seedPurchaseLine } from '../seed/order-lines.ts';
import { seededId, seededRecords, seededTime } from '../seed/values.ts';
import { idOf } from '../store.ts';

const boughtFromFields = `
  id guid readonly, number code 20 readonly, postingDate date, vendorId guid, vendorNumber code 20,
  vendorName text 100 readonly, payToName text 100 readonly, payToVendorId guid,
  payToVendorNumber code 20, ${shipToFields}, buyFrom address, payTo address readonly, ${amountFields},
  purchaser code 20, pricesIncludeTax boolean, discountAppliedBeforeTax boolean readonly,
  lastModifiedDateTime dateTime
`;
const lineFields = 'locationId guid, invoiceDiscountAllocation decimal readonly, expectedReceiptDate date';
const vendorNavigation = { name: 'vendor', target: 'vendors', from: 'vendorId' };

/** Lines of purchase orders, under the names of the real service in both dialects. */
export const purchaseOrderLines: EntitySet = linesOf(
  'purchaseOrder',
  boughtFields(
    'directUnitCost',
    `${lineFields}, receivedQuantity decimal readonly, invoicedQuantity decimal readonly,
    invoiceQuantity decimal, receiveQuantity decimal`,
  ),
  lineWrites,
);

/** Purchase orders of the real service, which are shipped to the company itself. */
export const purchaseOrders: EntitySet = entitySet('purchaseOrders', 'purchaseOrder', {
  fields: fieldsOf(`
    ${boughtFromFields}, orderDate date, paymentTermsId guid, shipmentMethodId guid,
    requestedReceiptDate date, fullyReceived boolean readonly, status [Draft|In Review|Open] readonly
  `),
  navigations: [
    { name: 'purchaseOrderLines', target: 'purchaseOrderLines' },
    vendorNavigation,
    ...termNavigations,
  ],
  references: purchaseReferences,
  files: ['pdfDocument'],
  writes: ['POST', 'PATCH', 'DELETE'],
  actions: ['receiveAndInvoice'],
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
});

/** The requested receipt date or, where none is requested, the order date. */
function receiptDateOf({ requestedReceiptDate = unsetDate, orderDate = unsetDate }: RecordValues) {
  return requestedReceiptDate === unsetDate ? orderDate : requestedReceiptDate;
}

/** One order with one to four lines. Every fifth is received in full. */
function seedPurchaseOrder({ company, random }: SeedContext, index: number): SeedRecord {
  const vendors = seededRecords(company, 'vendors');
  const vendor = elementAt(vendors, index * 3 + 1).values;
  const payer = index % 20 === 7 ? elementAt(vendors, index * 3 + 2).values : vendor;
  const orderDate = seededTime(index * 40).slice(0, 10);
  const fullyReceived = index % 5 === 4;
  const header: RecordValues = {
    ...copyFields(vendor, vendorParty.fields),
    ...copyFields(payer, vendorParty.payerFields),
    ...copyShipToFields(company),
    id: seededId(company, 'purchaseOrders', index),
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
    ...seedPurchaseLine({ set: purchaseOrderLines, company, random }, header, vendor, index, lineIndex),
    expectedReceiptDate: receiptDateOf(header),
  }));
  return calculateTotals(header, lines, vendorParty.priceField);
}

/** Lines of purchase invoices, under the names of the real service in both dialects. */
export const purchaseInvoiceLines: EntitySet = linesOf(
  'purchaseInvoice',
  boughtFields('unitCost', lineFields),
  lineWrites,
);

/** Purchase invoices of the real service, posted ones and drafts. */
export const purchaseInvoices: EntitySet = entitySet('purchaseInvoices', 'purchaseInvoice', {
  fields: fieldsOf(`
    ${boughtFromFields}, invoiceDate date, dueDate date, vendorInvoiceNumber code 35,
    payToContact text 100 readonly, orderId guid readonly, orderNumber code 20 readonly,
    status [ |Draft|In Review|Open|Paid|Canceled|Corrective] readonly
  `),
  navigations: [
    { name: 'purchaseInvoiceLines', target: 'purchaseInvoiceLines' },
    vendorNavigation,
    ...termNavigations.slice(0, 1),
  ],
  references: purchaseReferences.slice(0, 3),
  isSubscribable: true,
  files: ['pdfDocument'],
  writes: ['POST', 'PATCH', 'DELETE'],
  actions: ['post'],
  document: {
    caption: 'Purchase Invoice',
    draftPrefix: 'P-INV',
    party: { ...vendorParty, priceField: 'unitCost' },
    lines: purchaseInvoiceLines,
    defaults: (today, company) => ({
      invoiceDate: today,
      postingDate: today,
      discountAppliedBeforeTax: true,
      ...copyShipToFields(company),
    }),
    lineDefaults: ({ postingDate = unsetDate }) => ({ expectedReceiptDate: postingDate }),
    derive: (draft, company) => ({
      dueDate: dueDateOf(company, draft.invoiceDate, partyOf(company, vendorParty, draft).paymentTermsId),
    }),
  },
  numberSeries: { name: 'P-INV+', prefix: 'PP-INV', first: 108_001, step: 1, digits: 6, isManual: false },
  seed: { counts: [40, 15], record: seedPurchaseInvoice },
});

/** An invoice of an order that was received in full, or one of an order that is gone; every tenth is a draft. */
function seedPurchaseInvoice({ set, company }: SeedContext, index: number): SeedRecord {
  const orders = seededRecords(company, 'purchaseOrders');
  const standing = orders.filter(({ values }) => values.fullyReceived === true)[index];
  const { values: order, lines: ordered } = standing ?? elementAt(orders, index * 7 + 2);
  const lines = ordered.map(({ values }) => ({
    line: { ...values, unitCost: values.directUnitCost ?? 0 },
    quantity: numberField(values, 'quantity'),
  }));
  const finished = elementAt(['Paid', 'Open', 'Paid', 'Open', 'Canceled', 'Paid', 'Open'], index);
  const isDraft = !standing && index % 10 === 9;
  const sets = { set, lines: purchaseInvoiceLines, priceField: 'unitCost' };
  const invoice = postAmounts(company, sets, order, lines, {
    id: seededId(company, 'purchaseInvoices', index),
    number: isDraft ? `P-INV${1_001 + index}` : `PP-INV${108_001 + index}`,
    date: seededTime(index * 55 + 60).slice(0, 10),
    status: isDraft ? 'Draft' : standing ? 'Open' : finished,
  });
  const origin = standing ? { orderId: idOf(standing), orderNumber: order.number ?? '' } : {};
  const vendorInvoiceNumber = isDraft ? '' : `IN-${9_000 + index * 3}`;
  return { lines: invoice.lines, values: { ...invoice.values, ...origin, vendorInvoiceNumber } };
}
