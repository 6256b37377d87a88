import { expect, test } from 'vitest';
import { createRetryBudget } from '../../../src/upstream/retry-budget.ts';

test('a hundred retries of five are had at once, and then one for every five calls that go well', () => {
  const budget = createRetryBudget();
  const taken = Array.from({ length: 200 }, () => budget.take(5)).filter(Boolean);
  expect(taken).toHaveLength(100);

  for (let calls = 0; calls < 5; calls++) {
    expect(budget.take(5)).toBe(false);
    budget.refill();
  }
  expect(budget.take(5)).toBe(true);
});

test('calls that go well do not fill it beyond what it holds', () => {
  const budget = createRetryBudget();
  for (let calls = 0; calls < 10_000; calls++) budget.refill();

  expect(budget.take(500)).toBe(true);
  expect(budget.take(1)).toBe(false);
});
