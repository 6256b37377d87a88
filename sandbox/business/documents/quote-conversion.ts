import { derivedGuid } from '../../seeded.ts';
import { setNamed } from '../entity-sets.ts';
import type { Company, Store, StoredRecord } from '../store.ts';
import { idOf, newRecordGuid } from '../store.ts';
import type { RecordValues } from '../values.ts';
import { nextDraftNumber, nextNumber } from '../writes/number-series.ts';
import { dueDateOf } from './due-date.ts';
import { copyKnown } from './posted-documents.ts';
import type { ActionResult } from './posting-checks.ts';
import { checkNotBlocked } from './posting-checks.ts';
import { calculateTotals } from './totals.ts';

/** Turns a quote into an order, and removes the quote. */
export function makeOrder(store: Store, company: Company, quote: StoredRecord): ActionResult {
  const set = setNamed('salesOrders');
  const today = new Date().toISOString().slice(0, 10);
  const header = { ...set.document?.defaults(today, company), number: nextNumber(company, set) };
  return convert(store, company, quote, 'salesOrders', header, set.document?.lineDefaults);
}

/** Turns a quote into an invoice that is not posted yet, and removes the quote. */
export function makeInvoice(store: Store, company: Company, quote: StoredRecord): ActionResult {
  const today = new Date().toISOString().slice(0, 10);
  return convert(store, company, quote, 'salesInvoices', {
    number: nextDraftNumber(company, setNamed('salesInvoices'), 'S-INV'),
    invoiceDate: today,
    postingDate: today,
    dueDate: dueDateOf(company, today, quote.values.paymentTermsId),
  });
}

/** Marks a quote as sent to its customer; the sandbox sends no e-mail. */
export function sendQuote(store: Store, _company: Company, quote: StoredRecord): ActionResult {
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
