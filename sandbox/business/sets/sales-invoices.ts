import { isDraft, linesWith, shippedOrder } from '../../seed/shipped-orders.ts';
import { seededTime } from '../../seed/values.ts';
import { derivedGuid, elementAt } from '../../seeded.ts';
import {
  addressFields,
  headerNavigations,
  lineNavigations,
  lineReferences,
  soldFields,
} from '../documents/document-fields.ts';
import { postAmounts } from '../documents/posted-documents.ts';
import type { RecordValues } from '../entity-set.ts';
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

/** Lines of orders without the quantities of their progress. */
export const salesInvoiceLines: EntitySet = entitySet(
  'salesInvoiceLines',
  'salesInvoiceLine',
  [
    ...soldFields(...fieldsOf('invoiceDiscountAllocation decimal readonly')),
    ...fieldsOf('shipmentDate date, itemVariantId guid, locationId guid'),
  ],
  {
    navigations: [
      { name: 'salesInvoice', target: 'salesInvoices', from: 'documentId' },
      ...lineNavigations(),
    ],
    references: lineReferences(),
    linesOf: 'salesInvoices',
  },
);

/** Invoices as the real service has them, posted ones and drafts (gap: see docs/upstream.md). */
export const salesInvoices: EntitySet = entitySet(
  'salesInvoices',
  'salesInvoice',
  [
    ...fieldsOf(`
      id guid readonly, number code 20 readonly, externalDocumentNumber code 35, invoiceDate date,
      postingDate date, dueDate date, promisedPayDate date, customerPurchaseOrderReference text 35,
      customerId guid, customerNumber code 20, customerName text 100, billToName text 100,
      billToCustomerId guid, billToCustomerNumber code 20, shipToName text 100, shipToContact text 100
    `),
    ...addressFields('sellTo'),
    ...addressFields('billTo'),
    ...addressFields('shipTo'),
    ...fieldsOf(`
      currencyId guid, shortcutDimension1Code code 20, shortcutDimension2Code code 20,
      currencyCode code 10 computed, orderId guid, orderNumber code 20, paymentTermsId guid,
      shipmentMethodId guid, salesperson code 20, disputeStatusId guid, disputeStatus code 10,
      pricesIncludeTax boolean, remainingAmount decimal readonly computed, discountAmount decimal,
      discountAppliedBeforeTax boolean, totalAmountExcludingTax decimal readonly,
      totalTaxAmount decimal readonly, totalAmountIncludingTax decimal readonly
    `),
    choiceField('status', ['Draft', 'In Review', 'Open', 'Paid', 'Canceled', 'Corrective'], readOnly),
    ...fieldsOf('lastModifiedDateTime dateTime, phoneNumber text 30, email text 80'),
  ],
  {
    navigations: [{ name: 'salesInvoiceLines', target: 'salesInvoiceLines' }, ...headerNavigations],
    isSubscribable: true,
    files: ['pdfDocument'],
    actions: ['post', 'postAndSend', 'send'],
    numberSeries: { name: 'S-INV+', prefix: 'PS-INV', first: 103_001, step: 1, digits: 6, isManual: false },
    seed: { counts: [90, 30], record: seedInvoice },
  },
);

/** One invoice of a shipped order, or a draft. Those of orders that a company still has are of a part, and open. */
function seedInvoice({ set, company }: SeedContext, index: number): SeedRecord | undefined {
  const source = shippedOrder(company, index);
  const lines = linesWith(source.lines, 'invoicedQuantity');
  if (lines.length === 0) return undefined;
  const isUnposted = isDraft(index, source);
  const finished = elementAt(['Paid', 'Open', 'Paid', 'Canceled', 'Open', 'Paid', 'Paid'], index);
  const unposted = elementAt(['Draft', 'In Review'], Math.floor(index / 20));
  const status = isUnposted ? unposted : source.isFinished ? finished : 'Open';
  const { values, lines: invoiced } = postAmounts(
    company,
    { set, lines: salesInvoiceLines },
    source.order,
    lines,
    {
      id: derivedGuid(`${idOf(company.record)}:salesInvoices:${index}`),
      number: isUnposted ? `S-INV${1_001 + index}` : `PS-INV${103_001 + index}`,
      date: seededTime(index * 12 + 30).slice(0, 10),
      status,
    },
  );
  return {
    lines: invoiced ?? [],
    values: {
      ...values,
      ...(isUnposted ? {} : { orderId: source.order.id, orderNumber: source.order.number }),
      ...(status === 'Open' && index % 4 === 1 ? disputed(index) : {}),
      customerPurchaseOrderReference: index % 3 === 0 ? 'Spring opening' : '',
      remainingAmount: status === 'Paid' || status === 'Canceled' ? 0 : (values.totalAmountIncludingTax ?? 0),
    },
  };
}

/** The sandbox has no records of kinds of disputes. */
const disputed = (index: number): RecordValues => ({
  disputeStatusId: derivedGuid('dispute-status:0'),
  disputeStatus: 'DAMAGED',
  promisedPayDate: seededTime(index * 12 + 900).slice(0, 10),
});
