import { isExactNumber } from '../json.ts';
import type { Value, Values } from './records.ts';
import type { Company } from './store.ts';
import { findRecord } from './store.ts';

/** An amount as the service prints it: two decimals at most. */
export function rounded(amount: number): number {
  return Math.round((amount + Number.EPSILON) * 100) / 100;
}

/**
 * An order and its lines with every amount that follows from quantity, price, tax and discount.
 * The order's discount is spread over the lines before tax, the last one taking the remainder.
 * How amounts are rounded and spread: gap, see docs/upstream.md.
 */
export function withTotals(order: Values, lines: readonly Values[]): { order: Values; lines: Values[] } {
  const priced = lines.map((line) => withAmounts(line, order.pricesIncludeTax === true));
  spreadDiscount(priced, numberOf(order, 'discountAmount'));
  const excluding = sum(priced, 'netAmount');
  const tax = sum(priced, 'netTaxAmount');
  return {
    order: {
      ...order,
      totalAmountExcludingTax: excluding,
      totalTaxAmount: tax,
      totalAmountIncludingTax: rounded(excluding + tax),
    },
    lines: priced,
  };
}

/** The tax on a sale, in percent: the rate of the tax group where the customer is liable, else none. */
export function taxPercentOf(company: Company, taxCode: string, customer: Values): number {
  const group = findRecord(company, 'taxGroups', 'code', taxCode)?.values;
  return customer.taxLiable === true && group ? numberOf(group, 'percent') : 0;
}

/** A number field of a record, a long one to the precision of a double; anything else counts as nothing. */
export function numberOf(values: Values, field: string): number {
  const value = values[field];
  if (isExactNumber(value)) return Number(value.value);
  return typeof value === 'number' ? value : 0;
}

function withAmounts(line: Values, doPricesIncludeTax: boolean): Record<string, Value> {
  const gross = numberOf(line, 'quantity') * numberOf(line, 'unitPrice');
  const amount = rounded(gross - numberOf(line, 'discountAmount'));
  const factor = 1 + numberOf(line, 'taxPercent') / 100;
  const excluding = doPricesIncludeTax ? rounded(amount / factor) : amount;
  const including = doPricesIncludeTax ? amount : rounded(amount * factor);
  return {
    ...line,
    amountExcludingTax: excluding,
    totalTaxAmount: rounded(including - excluding),
    amountIncludingTax: including,
  };
}

function spreadDiscount(lines: readonly Record<string, Value>[], discount: number): void {
  const base = sum(lines, 'amountExcludingTax');
  const lastPriced = lines.findLastIndex((line) => line.amountExcludingTax !== 0);
  let left = discount;
  for (const [index, line] of lines.entries()) {
    const amount = numberOf(line, 'amountExcludingTax');
    const share = index === lastPriced ? left : base === 0 ? 0 : rounded((discount * amount) / base);
    left = rounded(left - share);
    const net = rounded(amount - share);
    const taxOfNet = rounded((net * numberOf(line, 'taxPercent')) / 100);
    const tax = share === 0 ? numberOf(line, 'totalTaxAmount') : taxOfNet;
    line.invoiceDiscountAllocation = share;
    line.netAmount = net;
    line.netTaxAmount = tax;
    line.netAmountIncludingTax = rounded(net + tax);
  }
}

function sum(lines: readonly Values[], field: string): number {
  return rounded(lines.reduce((total, line) => total + numberOf(line, field), 0));
}
