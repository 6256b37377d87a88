import { businessRuleError } from '../../api-error.ts';
import type { Caller } from '../../bearer.ts';
import { type ApiRequest, type ApiResponse, emptyResponse } from '../../http.ts';
import { derivedGuid } from '../../seeded.ts';
import { type ActionAddress, findAddressedRecord } from '../address.ts';
import type { RecordValues } from '../entity-set.ts';
import { setNamed } from '../entity-sets.ts';
import { type Company, idOf, newRecordGuid, recordsOf, type Store, type StoredRecord } from '../store.ts';
import type { WriteData } from '../writes/client-ids.ts';
import { nextDraftNumber, nextNumber } from '../writes/number-series.ts';
import { checkCanWrite, checkOptionalIfMatch } from '../writes/preconditions.ts';
import { updatedDocument } from './order-documents.ts';
import { copyKnown, linesToPost, type PostedLine, postAmounts, postShipment } from './posted-documents.ts';
import { calculateTotals, dueDateOf, numberField } from './totals.ts';

/** Carries out an action, or throws an `ApiError` and changes nothing. */
type DocumentAction = (store: Store, company: Company, record: StoredRecord) => ActionResult;

/** By entity set, the actions of its records. */
const actions: Readonly<Record<string, Readonly<Record<string, DocumentAction>>>> = {
  salesOrders: { shipAndInvoice },
  salesQuotes: { makeOrder, makeInvoice, send: sendQuote },
  salesInvoices: { post: postInvoice, postAndSend: postInvoice, send: sendInvoice },
};

/** Handles a POST to an action. Responds with the address of the document that comes of it. */
export function handleAction(
  request: ApiRequest,
  caller: Caller,
  { name, of }: ActionAddress,
  { store, dialect }: WriteData,
): ApiResponse {
  checkCanWrite(caller);
  const record = findAddressedRecord(of, dialect);
  checkOptionalIfMatch(request, record, dialect);
  const action = actions[of.set.name]?.[name];
  if (!action) throw new TypeError(`expected the action ${name}`);
  const { set, id } = action(store, of.company, record);
  const company = `/api/${of.route}/companies(${idOf(of.company.record)})`;
  return emptyResponse(204, { location: `${request.origin}${company}/${set}(${id})` });
}

/** Posts the draft of an invoice: it keeps its id, and gets the number of a posted one. */
function postInvoice(store: Store, company: Company, invoice: StoredRecord): ActionResult {
  const { status } = invoice.values;
  if (status !== 'Draft' && status !== 'In Review')
    throw businessRuleError('The action can be applied to a draft invoice only.');
  const lines = invoice.lines.map(({ values: line }) => ({ line, quantity: numberField(line, 'quantity') }));
  if (!lines.some(({ quantity }) => quantity > 0)) throw businessRuleError('There is nothing to post.');
  checkNotBlocked(company, invoice.values);
  takeFromInventory(store, company, lines);
  store.change(company, 'salesInvoices', invoice, {
    ...invoice.values,
    status: 'Open',
    number: nextNumber(company, setNamed('salesInvoices')),
    postingDate: today(),
  });
  return { set: 'salesInvoices', id: idOf(invoice) };
}

/** Sends an invoice to its customer: the sandbox sends no e-mail, and nothing changes. */
function sendInvoice(_store: Store, _company: Company, invoice: StoredRecord): ActionResult {
  return { set: 'salesInvoices', id: idOf(invoice) };
}

/** Turns a quote into an order, and removes the quote. */
function makeOrder(store: Store, company: Company, quote: StoredRecord): ActionResult {
  const set = setNamed('salesOrders');
  const header = { ...set.document?.defaults(today(), company), number: nextNumber(company, set) };
  return convert(store, company, quote, 'salesOrders', header, set.document?.lineDefaults);
}

/** Turns a quote into an invoice that is not posted yet, and removes the quote. */
function makeInvoice(store: Store, company: Company, quote: StoredRecord): ActionResult {
  const date = today();
  return convert(store, company, quote, 'salesInvoices', {
    number: nextDraftNumber(company, setNamed('salesInvoices'), 'S-INV'),
    invoiceDate: date,
    postingDate: date,
    dueDate: dueDateOf(company, date, quote.values.paymentTermsId),
  });
}

/** Marks a quote as sent to its customer; the sandbox sends no e-mail. */
function sendQuote(store: Store, company: Company, quote: StoredRecord): ActionResult {
  const sentDate = new Date().toISOString();
  store.change(company, 'salesQuotes', quote, { ...quote.values, status: 'Sent', sentDate });
  return { set: 'salesQuotes', id: idOf(quote) };
}

function convert(
  store: Store,
  company: Company,
  quote: StoredRecord,
  target: 'salesOrders' | 'salesInvoices',
  given: RecordValues,
  lineDefaults: (header: RecordValues, line: RecordValues) => RecordValues = () => ({}),
): ActionResult {
  checkNotBlocked(company, quote.values);
  const set = setNamed(target);
  const lineSet = setNamed(`${target.slice(0, -1)}Lines`);
  const id = newRecordGuid(company, target);
  const header: RecordValues = {
    ...copyKnown(set, quote.values),
    ...given,
    id,
    status: 'Draft',
    ...now(),
  };
  const lines = quote.lines.map(({ values }) => ({
    ...copyKnown(lineSet, values),
    ...lineDefaults(header, values),
    id: derivedGuid(`${id}:${values.lineNo}`),
    documentId: id,
  }));
  const { values: order, lines: totalled } = calculateTotals(header, lines);
  const remaining = target === 'salesInvoices' ? { remainingAmount: order.totalAmountIncludingTax ?? 0 } : {};
  store.add(company, target, { ...order, ...remaining }, totalled);
  store.remove(company, 'salesQuotes', quote);
  return { set: target, id };
}

/**
 * Posts what the lines of an order say is to be shipped and invoiced. An order that is shipped and invoiced in full is
 * removed, as by the real service.
 */
function shipAndInvoice(store: Store, company: Company, order: StoredRecord): ActionResult {
  const lines = order.lines.map(({ values }) => values);
  const shipped = linesToPost(lines, 'shipQuantity');
  const invoiced = linesToPost(lines, 'invoiceQuantity');
  if (shipped.length === 0 && invoiced.length === 0) throw businessRuleError('There is nothing to post.');
  checkNotBlocked(company, order.values);
  lines.forEach(checkInvoicedIsShipped);
  takeFromInventory(store, company, shipped);
  if (shipped.length > 0) addPosted(store, company, 'salesShipments', order.values, shipped);
  const invoice =
    invoiced.length > 0 ? addPosted(store, company, 'salesInvoices', order.values, invoiced) : undefined;
  const rest = lines.map(postedLine);
  if (rest.every((line) => numberField(line, 'invoicedQuantity') === numberField(line, 'quantity')))
    store.remove(company, 'salesOrders', order);
  else {
    const fullyShipped = rest.every(
      (line) => numberField(line, 'shippedQuantity') === numberField(line, 'quantity'),
    );
    const changed = updatedDocument(company, setNamed('salesOrders'), order, {}, rest);
    store.change(company, 'salesOrders', order, { ...changed.values, fullyShipped }, changed.lines);
  }
  return invoice ? { set: 'salesInvoices', id: idOf(invoice) } : { set: 'salesOrders', id: idOf(order) };
}

function checkInvoicedIsShipped(line: RecordValues): void {
  const left = numberField(line, 'shippedQuantity') - numberField(line, 'invoicedQuantity');
  if (numberField(line, 'invoiceQuantity') <= left + numberField(line, 'shipQuantity')) return;
  throw businessRuleError('You cannot invoice more than is shipped.');
}

function postedLine(line: RecordValues): RecordValues {
  const shippedQuantity = numberField(line, 'shippedQuantity') + numberField(line, 'shipQuantity');
  const invoicedQuantity = numberField(line, 'invoicedQuantity') + numberField(line, 'invoiceQuantity');
  const quantity = numberField(line, 'quantity');
  return {
    ...line,
    shippedQuantity,
    invoicedQuantity,
    shipQuantity: quantity - shippedQuantity,
    invoiceQuantity: quantity - invoicedQuantity,
  };
}

const today = () => new Date().toISOString().slice(0, 10);

/** Adds the shipment or the invoice of lines of an order. */
function addPosted(
  store: Store,
  company: Company,
  name: 'salesShipments' | 'salesInvoices',
  order: RecordValues,
  posted: readonly PostedLine[],
): StoredRecord {
  const isInvoice = name === 'salesInvoices';
  const set = setNamed(name);
  const sets = { set, lines: setNamed(`${name.slice(0, -1)}Lines`) };
  const posting = {
    id: newRecordGuid(company, name),
    number: nextNumber(company, set),
    date: today(),
    status: 'Open',
  };
  const { values, lines } = (isInvoice ? postAmounts : postShipment)(company, sets, order, posted, posting);
  const ofInvoice = { orderId: order.id ?? '', remainingAmount: values.totalAmountIncludingTax ?? 0 };
  const origin = { orderNumber: order.number ?? '', ...(isInvoice && ofInvoice) };
  return store.add(company, name, { ...values, ...now(), ...origin }, lines);
}

const now = () => ({ lastModifiedDateTime: new Date().toISOString() });

/** A document that an action has created or changed. */
export interface ActionResult {
  readonly set: string;
  readonly id: string;
}

/** Throws an `ApiError` if a customer of a document may not be sent goods or invoices. */
function checkNotBlocked(company: Company, document: RecordValues): void {
  const customers = recordsOf(company, 'customers');
  for (const id of [document.customerId, document.billToCustomerId]) {
    const customer = customers.get(String(id))?.values;
    if (!customer || customer.blocked === ' ') continue;
    throw businessRuleError(
      `You cannot post this type of document when Customer ${customer.number} is blocked with type ${customer.blocked}`,
    );
  }
}

/** Takes what is shipped from the inventory. Throws an `ApiError`, and takes nothing, where that has too few. */
function takeFromInventory(store: Store, company: Company, shipped: readonly PostedLine[]): void {
  const items = recordsOf(company, 'items');
  const needed = new Map<string, number>();
  for (const { line, quantity } of shipped) {
    const id = String(line.itemId);
    if (items.get(id)?.values.type === 'Inventory') needed.set(id, (needed.get(id) ?? 0) + quantity);
  }
  const left = [...needed].flatMap(([id, quantity]) => {
    const item = items.get(id);
    return item ? [{ item, inventory: numberField(item.values, 'inventory') - quantity }] : [];
  });
  const short = left.find(({ inventory }) => inventory < 0);
  if (short)
    throw businessRuleError(
      `You have insufficient quantity of Item ${short.item.values.number} on inventory.`,
    );
  for (const { item, inventory } of left) store.compute(item, { inventory });
}
