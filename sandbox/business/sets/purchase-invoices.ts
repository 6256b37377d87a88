import { seededRecords, seededTime } from '../../seed/values.ts';
import { derivedGuid, elementAt } from '../../seeded.ts';
import {
  addressFields,
  boughtFields,
  lineNavigations,
  lineReferences,
  purchaseNavigations,
} from '../documents/document-fields.ts';
import { postAmounts } from '../documents/posted-documents.ts';
import { numberField } from '../documents/totals.ts';
import {
  choiceField,
  type EntitySet,
  entitySet,
  fieldsOf,
  readOnly,
  type SeedContext,
  type SeedRecord,
} from '../entity-set.ts';
import { idOf } from '../store.ts';

/** Lines of purchase invoices, under the names of the real service in both dialects. */
export const purchaseInvoiceLines: EntitySet = entitySet(
  'purchaseInvoiceLines',
  'purchaseInvoiceLine',
  [...boughtFields('unitCost'), ...fieldsOf('expectedReceiptDate date, itemVariantId guid, locationId guid')],
  {
    navigations: [
      { name: 'purchaseInvoice', target: 'purchaseInvoices', from: 'documentId' },
      ...lineNavigations(),
    ],
    references: lineReferences(),
    linesOf: 'purchaseInvoices',
  },
);

/** Purchase invoices of the real service, posted ones and drafts. Read-only here: no order is received. */
export const purchaseInvoices: EntitySet = entitySet(
  'purchaseInvoices',
  'purchaseInvoice',
  [
    ...fieldsOf(`
      id guid readonly, number code 20 readonly, postingDate date, invoiceDate date, dueDate date,
      vendorInvoiceNumber code 35, vendorId guid, vendorNumber code 20, vendorName text 100 readonly,
      payToName text 100 readonly, payToContact text 100 readonly, payToVendorId guid,
      payToVendorNumber code 20, shipToName text 100, shipToContact text 100
    `),
    ...addressFields('buyFrom'),
    ...addressFields('shipTo'),
    ...addressFields('payTo', 'readonly'),
    ...fieldsOf(`
      shortcutDimension1Code code 20, shortcutDimension2Code code 20, currencyId guid,
      currencyCode code 10 computed, orderId guid readonly, orderNumber code 20 readonly,
      purchaser code 20, pricesIncludeTax boolean, discountAmount decimal,
      discountAppliedBeforeTax boolean readonly, totalAmountExcludingTax decimal readonly,
      totalTaxAmount decimal readonly, totalAmountIncludingTax decimal readonly
    `),
    choiceField('status', [' ', 'Draft', 'In Review', 'Open', 'Paid', 'Canceled', 'Corrective'], readOnly),
    ...fieldsOf('lastModifiedDateTime dateTime'),
  ],
  {
    navigations: [
      { name: 'purchaseInvoiceLines', target: 'purchaseInvoiceLines' },
      ...purchaseNavigations.filter(({ name }) => name === 'vendor' || name === 'currency'),
    ],
    isSubscribable: true,
    files: ['pdfDocument'],
    numberSeries: { name: 'P-INV+', prefix: 'PP-INV', first: 108_001, step: 1, digits: 6, isManual: false },
    seed: { counts: [40, 15], record: seedPurchaseInvoice },
  },
);

/** An invoice of an order that was received in full, or one of an order that is gone; every tenth is a draft. */
function seedPurchaseInvoice({ set, company }: SeedContext, index: number): SeedRecord {
  const orders = seededRecords(company, 'purchaseOrders');
  const received = orders.filter(({ values }) => values.fullyReceived === true);
  const standing = received[index];
  const order = (standing ?? elementAt(orders, index * 7 + 2)).values;
  const lines = (standing ?? elementAt(orders, index * 7 + 2)).lines.map(({ values }) => ({
    line: { ...values, unitCost: values.directUnitCost ?? 0 },
    quantity: numberField(values, 'quantity'),
  }));
  const finished = elementAt(['Paid', 'Open', 'Paid', 'Open', 'Canceled', 'Paid', 'Open'], index);
  const isDraft = !standing && index % 10 === 9;
  const status = isDraft ? 'Draft' : standing ? 'Open' : finished;
  const { values, lines: invoiced = [] } = postAmounts(
    company,
    { set, lines: purchaseInvoiceLines, priceField: 'unitCost' },
    order,
    lines,
    {
      id: derivedGuid(`${idOf(company.record)}:purchaseInvoices:${index}`),
      number: isDraft ? `P-INV${1_001 + index}` : `PP-INV${108_001 + index}`,
      date: seededTime(index * 55 + 60).slice(0, 10),
      status,
    },
  );
  const origin = standing ? { orderId: idOf(standing), orderNumber: order.number ?? '' } : {};
  return {
    lines: invoiced,
    values: { ...values, ...origin, vendorInvoiceNumber: isDraft ? '' : `IN-${9_000 + index * 3}` },
  };
}
