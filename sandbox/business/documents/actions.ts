import { businessRuleError } from '../../api-error.ts';
import type { Caller } from '../../bearer.ts';
import { type ApiRequest, type ApiResponse, emptyResponse } from '../../http.ts';
import { derivedGuid } from '../../seeded.ts';
import type { BusinessAddress } from '../address.ts';
import type { Dialect } from '../dialect.ts';
import { setNamed } from '../entity-sets.ts';
import { findAddressedRecord } from '../record-responses.ts';
import { type Company, idOf, newRecordGuid, type Store, type StoredRecord } from '../store.ts';
import type { RecordValues } from '../values.ts';
import { nextDraftNumber, nextNumber } from '../writes/number-series.ts';
import { checkCanWrite, checkOptionalIfMatch } from '../writes/preconditions.ts';
import { dueDateOf } from './due-date.ts';
import { shipAndInvoice } from './order-posting.ts';
import { copyKnown } from './posted-documents.ts';
import { type ActionResult, checkNotBlocked, takeFromInventory } from './posting-checks.ts';
import { calculateTotals, numberField } from './totals.ts';

/** Carries out an action, or throws an `ApiError` and changes nothing. */
type DocumentAction = (store: Store, company: Company, record: StoredRecord) => ActionResult;

/** By entity set, the actions of its records. */
const actions: Readonly<Record<string, Readonly<Record<string, DocumentAction>>>> = {
  salesOrders: { shipAndInvoice },
  salesQuotes: { makeOrder, makeInvoice, send: sendQuote },
  salesInvoices: { post: postInvoice, postAndSend: postInvoice, send: sendInvoice },
};

interface ActionData {
  readonly store: Store;
  readonly dialect: Dialect;
}

/** Handles a POST to an action. Responds with the address of the document that comes of it. */
export function handleAction(
  request: ApiRequest,
  caller: Caller,
  { name, of }: Extract<BusinessAddress, { kind: 'action' }>,
  { store, dialect }: ActionData,
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
  store.change(invoice, {
    ...invoice.values,
    status: 'Open',
    number: nextNumber(company, setNamed('salesInvoices')),
    postingDate: new Date().toISOString().slice(0, 10),
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
  const today = new Date().toISOString().slice(0, 10);
  const header = { ...set.document?.defaults(today, company), number: nextNumber(company, set) };
  return convert(store, company, quote, 'salesOrders', header, set.document?.lineDefaults);
}

/** Turns a quote into an invoice that is not posted yet, and removes the quote. */
function makeInvoice(store: Store, company: Company, quote: StoredRecord): ActionResult {
  const today = new Date().toISOString().slice(0, 10);
  return convert(store, company, quote, 'salesInvoices', {
    number: nextDraftNumber(company, setNamed('salesInvoices'), 'S-INV'),
    invoiceDate: today,
    postingDate: today,
    dueDate: dueDateOf(company, today, quote.values.paymentTermsId),
  });
}

/** Marks a quote as sent to its customer; the sandbox sends no e-mail. */
function sendQuote(store: Store, _company: Company, quote: StoredRecord): ActionResult {
  store.change(quote, { ...quote.values, status: 'Sent', sentDate: new Date().toISOString() });
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
    lastModifiedDateTime: new Date().toISOString(),
  };
  const lines = quote.lines.map(({ values }) => ({
    ...copyKnown(lineSet, values),
    ...lineDefaults(header, values),
    id: derivedGuid(`${id}:${values.lineNo}`),
    documentId: id,
  }));
  const { order, lines: totalled } = calculateTotals(header, lines);
  const remaining = target === 'salesInvoices' ? { remainingAmount: order.totalAmountIncludingTax ?? 0 } : {};
  store.add(company, target, { ...order, ...remaining }, totalled);
  store.remove(company, 'salesQuotes', quote);
  return { set: target, id };
}
