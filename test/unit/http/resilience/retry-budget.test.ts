import { expect, test } from 'vitest';
import { createRetryBudget } from '../../../../src/http/resilience/retry.ts';

test('allows a hundred retries of cost five at once, then one for every five successful calls', () => {
  const budget = createRetryBudget();
  const taken = Array.from({ length: 200 }, () => budget.take(5)).filter(Boolean);
  expect(taken).toHaveLength(100);

  for (let calls = 0; calls < 5; calls++) {
    expect(budget.take(5)).toBe(false);
    budget.refill();
  }
  expect(budget.take(5)).toBe(true);
});

test('is not refilled beyond its capacity', () => {
  const budget = createRetryBudget();
  for (let calls = 0; calls < 10_000; calls++) budget.refill();

  expect(budget.take(500)).toBe(true);
  expect(budget.take(1)).toBe(false);
});
