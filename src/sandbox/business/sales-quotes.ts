import type { Creation } from './chosen-ids.ts';
import { salesQuoteLines, salesQuotes } from './quote-sets.ts';
import type { Value, Values } from './records.ts';
import { unsetDate } from './records.ts';
import type { DocumentKind } from './sales-documents.ts';
import { createDocument } from './sales-documents.ts';
import type { Company, StoredRecord } from './store.ts';
import { recordsOf } from './store.ts';

const quotes: DocumentKind = {
  set: salesQuotes,
  lines: salesQuoteLines,
  startOn: (today) => ({ documentDate: today, postingDate: today }),
  startOfLine: () => ({}),
  follows: (quote, company) => ({ dueDate: dueDateOf(quote, company) }),
};

/** Creates a quote, with its lines if the body holds any, or nothing at all. */
export function createSalesQuote(creation: Creation, body: Readonly<Record<string, unknown>>): StoredRecord {
  return createDocument(creation, quotes, body);
}

/** As many days after the day of the quote as its payment terms say; terms without days add none. */
function dueDateOf({ documentDate = unsetDate, paymentTermsId }: Values, company: Company): Value {
  const terms = recordsOf(company, 'paymentTerms').get(String(paymentTermsId))?.values;
  const [, days] = /^(\d+)D$/.exec(String(terms?.dueDateCalculation)) ?? [];
  if (days === undefined || documentDate === unsetDate) return documentDate;
  const due = new Date(`${documentDate}T00:00:00.000Z`);
  due.setUTCDate(due.getUTCDate() + Number(days));
  // Beyond the year 9999 there is no date to tell.
  return due.getUTCFullYear() > 9_999 ? documentDate : due.toISOString().slice(0, 10);
}
