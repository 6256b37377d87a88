import { createRandom, derivedGuid, elementAt } from '../../seeded.ts';
import {
  amountFields,
  linesOf,
  lineWrites,
  salesNavigations,
  salesReferences,
  shipToFields,
  soldFields,
  soldToFields,
} from '../documents/document-fields.ts';
import { customerParty } from '../documents/order-parties.ts';
import { linesToPost, postAmounts, postShipment } from '../documents/posted-documents.ts';
import { dueDateOf, numberField } from '../documents/totals.ts';
import {
  type Company,
  type EntitySet,
  entitySet,
  fieldsOf,
  type RecordValues,
  type SeedContext,
  type SeedRecord,
  unsetDate,
} from '../entity-set.ts';
import { seededId, seededRecords, seededTime } from '../seed/values.ts';
import { idOf } from '../store.ts';
import { salesOrders } from './sales-documents.ts';

const postedLineFields = soldFields(
  'locationId guid, invoiceDiscountAllocation decimal readonly, shipmentDate date',
);
const postedFields = `
  ${soldToFields}, ${amountFields}, dueDate date, paymentTermsId guid, shipmentMethodId guid,
  pricesIncludeTax boolean readonly, discountAppliedBeforeTax boolean readonly,
  status [Draft|In Review|Open|Paid|Canceled|Corrective] readonly
`;

/** How drafts of invoices or credit memos are written; `date` is the field of the date that they are due from. */
const draftOf = (
  caption: string,
  draftPrefix: string,
  lines: EntitySet,
  date: 'invoiceDate' | 'creditMemoDate',
): Partial<EntitySet> => ({
  writes: ['POST', 'PATCH', 'DELETE'],
  document: {
    caption,
    draftPrefix,
    party: customerParty,
    lines,
    defaults: (today) => ({ [date]: today, postingDate: today, discountAppliedBeforeTax: true }),
    lineDefaults: ({ postingDate = unsetDate }) => ({ shipmentDate: postingDate }),
    derive: (draft, company) => ({ dueDate: dueDateOf(company, draft[date], draft.paymentTermsId) }),
  },
});

/** Lines of orders without the quantities of their progress. */
export const salesInvoiceLines: EntitySet = linesOf('salesInvoice', postedLineFields, lineWrites);

/** Invoices as the real service has them, posted ones and drafts (gap: see docs/upstream.md). */
export const salesInvoices: EntitySet = entitySet('salesInvoices', 'salesInvoice', {
  fields: fieldsOf(`
    ${postedFields}, ${shipToFields}, billTo address readonly, invoiceDate date, promisedPayDate date,
    customerPurchaseOrderReference text 35, orderId guid readonly, orderNumber code 20 readonly,
    disputeStatusId guid, disputeStatus code 10, remainingAmount decimal readonly computed
  `),
  ...draftOf('Sales Invoice', 'S-INV', salesInvoiceLines, 'invoiceDate'),
  navigations: salesNavigations('salesInvoiceLines'),
  references: salesReferences,
  isSubscribable: true,
  files: ['pdfDocument'],
  actions: ['post', 'postAndSend', 'send', 'cancel', 'cancelAndSend'],
  numberSeries: { name: 'S-INV+', prefix: 'PS-INV', first: 103_001, step: 1, digits: 6, isManual: false },
  seed: { counts: [90, 30], record: seedInvoice },
});

/** One invoice of a shipped order, or a draft. Those of orders that a company still has are of a part, and open. */
function seedInvoice({ set, company }: SeedContext, index: number): SeedRecord | undefined {
  const source = shippedOrder(company, index);
  const lines = linesToPost(source.lines, 'invoicedQuantity');
  if (lines.length === 0) return undefined;
  const isUnposted = isDraft(index, source);
  const finished = elementAt(['Paid', 'Open', 'Paid', 'Canceled', 'Open', 'Paid', 'Paid'], index);
  const unposted = elementAt(['Draft', 'In Review'], Math.floor(index / 20));
  const status = isUnposted ? unposted : source.isFinished ? finished : 'Open';
  const invoice = postAmounts(company, { set, lines: salesInvoiceLines }, source.order, lines, {
    id: seededId(company, 'salesInvoices', index),
    number: isUnposted ? `S-INV${1_001 + index}` : `PS-INV${103_001 + index}`,
    date: seededTime(index * 12 + 30).slice(0, 10),
    status,
  });
  const total = invoice.values.totalAmountIncludingTax ?? 0;
  return {
    lines: invoice.lines,
    values: {
      ...invoice.values,
      ...(isUnposted ? {} : { orderId: source.order.id ?? '', orderNumber: source.order.number ?? '' }),
      ...(status === 'Open' && index % 4 === 1 ? disputed(index) : {}),
      customerPurchaseOrderReference: index % 3 === 0 ? 'Spring opening' : '',
      remainingAmount: status === 'Paid' || status === 'Canceled' ? 0 : total,
    },
  };
}

/** The sandbox has no records of kinds of disputes. */
const disputed = (index: number): RecordValues => ({
  disputeStatusId: derivedGuid('dispute-status:0'),
  disputeStatus: 'DAMAGED',
  promisedPayDate: seededTime(index * 12 + 900).slice(0, 10),
});

/** Quantities and prices, without ids and amounts. The types have words of their own. */
export const salesShipmentLines: EntitySet = entitySet('salesShipmentLines', 'salesShipmentLine', {
  fields: fieldsOf(`
    id guid, documentId guid, documentNo code 20, lineNo integer, lineType [ |G/L Account|Item],
    itemNo code 20, description text 100, description2 text 50, unitOfMeasureCode code 10,
    unitPrice decimal, quantity decimal, discountPercent decimal, taxPercent decimal, shipmentDate date
  `),
  navigations: [{ name: 'salesShipment', target: 'salesShipments', from: 'documentId' }],
  linesOf: 'salesShipments',
});

/** Shipments as the real service has them: without amounts and status, and with the number of their order alone. */
export const salesShipments: EntitySet = entitySet('salesShipments', 'salesShipment', {
  fields: fieldsOf(`
    ${soldToFields}, ${shipToFields}, invoiceDate date, dueDate date,
    customerPurchaseOrderReference text 35, billTo address, currencyCode code 10 computed,
    orderNumber code 20, paymentTermsCode code 10, shipmentMethodCode code 10, pricesIncludeTax boolean
  `),
  navigations: salesNavigations('salesShipmentLines').slice(0, 2),
  numberSeries: { name: 'S-SHPT', prefix: 'S-SHPT', first: 102_001, step: 1, digits: 6, isManual: false },
  seed: { counts: [90, 30], record: seedShipment },
});

/** The shipment of a shipped order. */
function seedShipment({ set, company }: SeedContext, index: number): SeedRecord | undefined {
  const source = shippedOrder(company, index);
  if (isDraft(index, source)) return undefined;
  const shipped = linesToPost(source.lines, 'shippedQuantity');
  const shipment = postShipment(company, { set, lines: salesShipmentLines }, source.order, shipped, {
    id: seededId(company, 'salesShipments', index),
    number: `S-SHPT${102_001 + index}`,
    date: seededTime(index * 12 + 24).slice(0, 10),
  });
  const customerPurchaseOrderReference = index % 3 === 0 ? 'Spring opening' : '';
  const orderNumber = source.order.number ?? '';
  return { ...shipment, values: { ...shipment.values, orderNumber, customerPurchaseOrderReference } };
}

/** The same fields as those of invoices. */
export const salesCreditMemoLines: EntitySet = linesOf('salesCreditMemo', postedLineFields, lineWrites);

/** Credit memos as the real service has them, which have no delivery (gap: see docs/upstream.md). */
export const salesCreditMemos: EntitySet = entitySet('salesCreditMemos', 'salesCreditMemo', {
  fields: fieldsOf(`
    ${postedFields}, billTo address, creditMemoDate date, invoiceId guid computed, invoiceNumber code 20,
    customerReturnReasonId guid
  `),
  ...draftOf('Sales Credit Memo', 'S-CR', salesCreditMemoLines, 'creditMemoDate'),
  navigations: salesNavigations('salesCreditMemoLines'),
  references: [
    ...salesReferences,
    {
      idField: 'invoiceId',
      codeField: 'invoiceNumber',
      key: 'number',
      target: 'salesInvoices',
      caption: 'Sales Invoice',
    },
  ],
  isSubscribable: true,
  files: ['pdfDocument'],
  actions: ['post', 'postAndSend', 'send', 'cancel', 'cancelAndSend'],
  numberSeries: { name: 'S-CR+', prefix: 'PS-CR', first: 104_001, step: 1, digits: 6, isManual: false },
  seed: { counts: [40, 15], record: seedCreditMemo },
});

/**
 * The credit memo of the n-th invoice that has one. Of a canceled invoice it takes back all, of some others the first line;
 * every seventh is a draft.
 */
function seedCreditMemo({ set, company }: SeedContext, index: number): SeedRecord | undefined {
  const invoices = seededRecords(company, 'salesInvoices').filter(
    ({ values }, place) => values.status === 'Canceled' || (values.status === 'Paid' && place % 5 === 2),
  );
  const invoice = invoices[index];
  if (!invoice) return undefined;
  const isCorrective = invoice.values.status === 'Canceled';
  const isUnposted = !isCorrective && index % 7 === 4;
  const credited = (isCorrective ? invoice.lines : invoice.lines.slice(0, 1)).map(({ values: line }) => ({
    line,
    quantity: numberField(line, 'quantity'),
  }));
  const memo = postAmounts(company, { set, lines: salesCreditMemoLines }, invoice.values, credited, {
    id: seededId(company, 'salesCreditMemos', index),
    number: isUnposted ? `S-CR${1_001 + index}` : `PS-CR${104_001 + index}`,
    date: seededTime(index * 30 + 300).slice(0, 10),
    status: isCorrective ? 'Corrective' : isUnposted ? 'Draft' : index % 2 === 0 ? 'Open' : 'Paid',
  });
  return {
    lines: memo.lines,
    values: {
      ...memo.values,
      invoiceId: idOf(invoice),
      invoiceNumber: invoice.values.number ?? '',
      // The sandbox has no records of reasons.
      ...(isCorrective ? {} : { customerReturnReasonId: derivedGuid('return-reason:0') }),
    },
  };
}

/** An order that was shipped: one that a company still has, or a finished one, which the service removes. */
interface ShippedOrder {
  readonly isFinished: boolean;
  readonly order: RecordValues;
  readonly lines: readonly RecordValues[];
}

/** The n-th shipped order of a company: first those it still has. */
function shippedOrder(company: Company, index: number): ShippedOrder {
  const shipped = seededRecords(company, 'salesOrders').filter(({ values }) => values.fullyShipped === true);
  const standing = shipped[index];
  if (!standing) return finishedOrder(company, index - shipped.length);
  return { isFinished: false, order: standing.values, lines: standing.lines.map(({ values }) => values) };
}

/** Made as the orders that a company has, with a number before theirs. */
function finishedOrder(company: Company, index: number): ShippedOrder {
  const random = createRandom(7_001 + index);
  const made = salesOrders.seed?.record({ set: salesOrders, company, random }, index);
  if (!made) throw new TypeError('expected seeded orders');
  return {
    isFinished: true,
    order: {
      ...made.values,
      id: derivedGuid(`${idOf(company.record)}:finished-orders:${index}`),
      number: `S-ORD${100_001 + index}`,
    },
    lines: (made.lines ?? []).map((line) => ({
      ...line,
      shippedQuantity: line.quantity ?? 0,
      invoicedQuantity: line.quantity ?? 0,
    })),
  };
}

/** Of some finished orders there is a draft of an invoice instead, which comes of no order. */
const isDraft = (index: number, { isFinished }: ShippedOrder): boolean => isFinished && index % 20 === 19;
