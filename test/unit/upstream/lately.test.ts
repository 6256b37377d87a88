import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLately } from '../../../src/upstream/lately.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.advanceTimersByTime(98_765);
});
afterEach(() => void vi.useRealTimers());

const nothing = { count: 0, failures: 0, p50Ms: null, p99Ms: null };

test('calls are counted, those that failed apart, and those that say nothing not at all', () => {
  const lately = createLately();
  expect(lately.look()).toEqual(nothing);

  for (const isWell of [true, false, null]) lately.count(isWell, 10);

  expect(lately.look()).toMatchObject({ count: 2, failures: 1 });
});

test('of answers it is told how long half and nearly all of them took, not of failures', () => {
  const lately = createLately();
  for (let made = 1; made <= 98; made++) lately.count(true, made % 2 ? 20 : 30);
  lately.count(false, 9_000);
  lately.count(false, 9_000);

  const usual = lately.look();
  for (let made = 1; made <= 2; made++) lately.count(true, 4_000);
  const late = lately.look();

  expect(usual.p50Ms).toBeGreaterThanOrEqual(20);
  expect(usual.p50Ms).toBeLessThan(20.3);
  expect(usual.p99Ms).toBeGreaterThanOrEqual(30);
  expect(usual.p99Ms).toBeLessThan(30.5);
  expect(late.p99Ms).toBeGreaterThanOrEqual(4_000);
  expect(late.p99Ms).toBeLessThan(4_050);
});

test('a minute later nothing is left of them, and of what came in between it is', () => {
  const lately = createLately();
  lately.count(true, 10);
  lately.count(false, 10);
  vi.advanceTimersByTime(30_000);
  lately.count(true, 10);
  expect(lately.look()).toMatchObject({ count: 3, failures: 1 });

  vi.advanceTimersByTime(30_000);
  expect(lately.look()).toMatchObject({ count: 1, failures: 0 });

  vi.advanceTimersByTime(600_000);
  expect(lately.look()).toEqual(nothing);
});

test('an answer that took longer than can be told apart counts as the longest', () => {
  const lately = createLately();
  lately.count(true, 7_200_000);

  expect(lately.look()).toMatchObject({ count: 1, failures: 0 });
});
