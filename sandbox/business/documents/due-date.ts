import type { Company } from '../store.ts';
import { recordsOf } from '../store.ts';
import type { FieldValue } from '../values.ts';
import { unsetDate } from '../values.ts';

/** The due date of a document by its payment terms: their number of days after its date. Terms without days add none. */
export function dueDateOf(
  company: Company,
  date: FieldValue = unsetDate,
  paymentTermsId?: FieldValue,
): FieldValue {
  const terms = recordsOf(company, 'paymentTerms').get(String(paymentTermsId))?.values;
  const [, days] = /^(\d+)D$/.exec(String(terms?.dueDateCalculation)) ?? [];
  if (days === undefined || date === unsetDate) return date;
  const due = new Date(`${date}T00:00:00.000Z`);
  due.setUTCDate(due.getUTCDate() + Number(days));
  // Dates end with the year 9999.
  return due.getUTCFullYear() > 9_999 ? date : due.toISOString().slice(0, 10);
}
