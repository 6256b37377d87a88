import { isExactNumber } from '../../json.ts';
import { type Company, type FieldValue, type RecordValues, unsetDate } from '../entity-set.ts';
import { findRecord, recordsOf } from '../store.ts';

/** Rounds an amount to two decimals, as the service does. */
export function roundAmount(amount: number): number {
  return Math.round((amount + Number.EPSILON) * 100) / 100;
}

/**
 * Calculates the amounts of an order and its lines from quantities, prices, taxes and discounts. The order's
 * discount is distributed over the lines before tax, and the last line takes the remainder. How amounts are
 * rounded and distributed: gap, see docs/upstream.md.
 */
export function calculateTotals(
  order: RecordValues,
  lines: readonly RecordValues[],
  priceField = 'unitPrice',
): { values: RecordValues; lines: RecordValues[] } {
  const priced = lines.map((line) => withLineAmounts(line, order.pricesIncludeTax === true, priceField));
  spreadDiscount(priced, numberField(order, 'discountAmount'));
  const excluding = sum(priced, 'netAmount');
  const tax = sum(priced, 'netTaxAmount');
  return {
    values: {
      ...order,
      totalAmountExcludingTax: excluding,
      totalTaxAmount: tax,
      totalAmountIncludingTax: roundAmount(excluding + tax),
      ...('remainingAmount' in order && isDraft(order) && { remainingAmount: roundAmount(excluding + tax) }),
    },
    lines: priced,
  };
}

/** Whether an invoice or a credit memo is not posted. */
export const isDraft = ({ status }: RecordValues): boolean => status === 'Draft' || status === 'In Review';

/** The tax in percent: the rate of the tax group if the customer or vendor is liable, otherwise 0. */
export function taxPercentFor(company: Company, taxCode: string, party: RecordValues): number {
  const group = findRecord(company, 'taxGroups', 'code', taxCode)?.values;
  return party.taxLiable === true && group ? numberField(group, 'percent') : 0;
}

/** A number field as a double. Returns 0 for any other value. */
export function numberField(values: RecordValues, field: string): number {
  const value = values[field];
  if (isExactNumber(value)) return Number(value.value);
  return typeof value === 'number' ? value : 0;
}

function withLineAmounts(
  line: RecordValues,
  doPricesIncludeTax: boolean,
  priceField: string,
): Record<string, FieldValue> {
  const gross = numberField(line, 'quantity') * numberField(line, priceField);
  const amount = roundAmount(gross - numberField(line, 'discountAmount'));
  const factor = 1 + numberField(line, 'taxPercent') / 100;
  const excluding = doPricesIncludeTax ? roundAmount(amount / factor) : amount;
  const including = doPricesIncludeTax ? amount : roundAmount(amount * factor);
  return {
    ...line,
    amountExcludingTax: excluding,
    totalTaxAmount: roundAmount(including - excluding),
    amountIncludingTax: including,
  };
}

function spreadDiscount(lines: readonly Record<string, FieldValue>[], discount: number): void {
  const base = sum(lines, 'amountExcludingTax');
  const lastPriced = lines.findLastIndex((line) => line.amountExcludingTax !== 0);
  let left = discount;
  for (const [index, line] of lines.entries()) {
    const amount = numberField(line, 'amountExcludingTax');
    const share = index === lastPriced ? left : base === 0 ? 0 : roundAmount((discount * amount) / base);
    left = roundAmount(left - share);
    const net = roundAmount(amount - share);
    const taxOfNet = roundAmount((net * numberField(line, 'taxPercent')) / 100);
    const tax = share === 0 ? numberField(line, 'totalTaxAmount') : taxOfNet;
    line.invoiceDiscountAllocation = share;
    line.netAmount = net;
    line.netTaxAmount = tax;
    line.netAmountIncludingTax = roundAmount(net + tax);
  }
}

function sum(lines: readonly RecordValues[], field: string): number {
  return roundAmount(lines.reduce((total, line) => total + numberField(line, field), 0));
}

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
