import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCallStats } from '../../../../src/http/resilience/call-stats.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.advanceTimersByTime(98_765);
});
afterEach(() => void vi.useRealTimers());

const nothing = { count: 0, failures: 0, p50Ms: null, p99Ms: null };

test('counts successes and failures, and ignores attempts without a verdict', () => {
  const stats = createCallStats();
  expect(stats.snapshot()).toEqual(nothing);

  for (const isWell of [true, false, null]) stats.record(isWell, 10);

  expect(stats.snapshot()).toMatchObject({ count: 2, failures: 1 });
});

test('attempts are dropped after a minute, later ones are kept', () => {
  const stats = createCallStats();
  stats.record(true, 10);
  stats.record(false, 10);
  vi.advanceTimersByTime(30_000);
  stats.record(true, 10);
  expect(stats.snapshot()).toMatchObject({ count: 3, failures: 1 });

  vi.advanceTimersByTime(30_000);
  expect(stats.snapshot()).toMatchObject({ count: 1, failures: 0 });

  vi.advanceTimersByTime(600_000);
  expect(stats.snapshot()).toEqual(nothing);
});
