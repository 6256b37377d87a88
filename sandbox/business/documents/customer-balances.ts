import type { Company } from '../store.ts';
import { recordsOf } from '../store.ts';
import type { RecordValues } from '../values.ts';
import { numberField, roundAmount } from './totals.ts';

/** An open amount of a customer: of an invoice, or negative of a credit memo. */
interface OpenAmount {
  readonly amount: number;
  readonly dueDate: string;
}

const isPosted = ({ status }: RecordValues): boolean => status !== 'Draft' && status !== 'In Review';

/** Posted documents that a customer pays, or is paid. */
function postedOf(company: Company, set: string, customerId: string): readonly RecordValues[] {
  return [...recordsOf(company, set).values()]
    .map(({ values }) => values)
    .filter((values) => values.billToCustomerId === customerId && isPosted(values));
}

/** Amounts in other currencies count as those of the home currency: the sandbox has no exchange rates. */
export function openAmounts(company: Company, customerId: string): readonly OpenAmount[] {
  const invoices = postedOf(company, 'salesInvoices', customerId).map((one) => ({
    amount: numberField(one, 'remainingAmount'),
    dueDate: String(one.dueDate),
  }));
  const credits = postedOf(company, 'salesCreditMemos', customerId)
    .filter(({ status }) => status === 'Open')
    .map((one) => ({ amount: -numberField(one, 'totalAmountIncludingTax'), dueDate: String(one.dueDate) }));
  return [...invoices, ...credits];
}

/** What a customer has bought so far, without tax, less what was credited. */
export function salesTo(company: Company, customerId: string): number {
  const total = (set: string) =>
    postedOf(company, set, customerId).reduce(
      (sum, one) => sum + numberField(one, 'totalAmountExcludingTax'),
      0,
    );
  return roundAmount(total('salesInvoices') - total('salesCreditMemos'));
}

/** The sum of what is due within some days: the first included, the last not. */
export function dueWithin(open: readonly OpenAmount[], first: string, end: string): number {
  return roundAmount(
    open
      .filter(({ dueDate }) => dueDate >= first && dueDate < end)
      .reduce((sum, { amount }) => sum + amount, 0),
  );
}
