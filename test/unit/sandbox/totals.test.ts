import { expect, test } from 'vitest';
import { calculateTotals } from '../../../sandbox/business/documents/totals.ts';

const line = (quantity: number, unitPrice: number, taxPercent = 0) => ({ quantity, unitPrice, taxPercent });

test('a discount that does not divide evenly is spread to the cent', () => {
  const { values: order, lines } = calculateTotals({ discountAmount: 10 }, [
    line(1, 100),
    line(1, 100),
    line(1, 100),
  ]);

  expect(lines.map((one) => one.netAmount)).toEqual([96.67, 96.67, 96.66]);
  expect(order.totalAmountExcludingTax).toBe(290);
});

test('a comment takes no part of a discount', () => {
  const { lines } = calculateTotals({ discountAmount: 10 }, [line(1, 100), line(0, 0)]);

  expect(lines.map((one) => one.netAmount)).toEqual([90, 0]);
});

test('prices that include tax have it taken out', () => {
  const { values: order } = calculateTotals({ pricesIncludeTax: true }, [line(2, 53, 6)]);

  expect(order).toMatchObject({
    totalAmountExcludingTax: 100,
    totalTaxAmount: 6,
    totalAmountIncludingTax: 106,
  });
});
