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

test('percentiles cover successful attempts only', () => {
  const stats = createCallStats();
  for (let made = 1; made <= 98; made++) stats.record(true, made % 2 ? 20 : 30);
  stats.record(false, 9_000);
  stats.record(false, 9_000);

  const usual = stats.snapshot();
  for (let made = 1; made <= 2; made++) stats.record(true, 4_000);
  const late = stats.snapshot();

  expect(usual.p50Ms).toBeGreaterThanOrEqual(20);
  expect(usual.p50Ms).toBeLessThan(20.3);
  expect(usual.p99Ms).toBeGreaterThanOrEqual(30);
  expect(usual.p99Ms).toBeLessThan(30.5);
  expect(late.p99Ms).toBeGreaterThanOrEqual(4_000);
  expect(late.p99Ms).toBeLessThan(4_050);
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
