import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { latestDeadline, sleepWithin, startDeadline } from '../../../src/runtime/deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a deadline expires when its time has come, once', () => {
  const deadline = startDeadline(1_000);
  const told = vi.fn();
  deadline.onExpire(told);
  vi.advanceTimersByTime(999);
  expect(deadline.isExpired).toBe(false);
  vi.advanceTimersByTime(1);

  deadline.end();

  expect(deadline.isExpired).toBe(true);
  expect(told).toHaveBeenCalledOnce();
});

test('a deadline within another expires with it at the latest', () => {
  const outer = startDeadline(1_000);
  const [short, long] = [startDeadline(10, outer), startDeadline(5_000, outer)];
  expect(long.at).toBe(outer.at);
  expect(short.at).toBeLessThan(outer.at);

  outer.end();
  expect(short.isExpired && long.isExpired).toBe(true);
  expect(startDeadline(5_000, outer).isExpired).toBe(true);
});

test('a deadline that has ended leaves neither a timer nor a listener', () => {
  const outer = startDeadline(1_000);
  const before = vi.getTimerCount();
  const taken = vi.fn();
  vi.spyOn(outer, 'onExpire').mockReturnValue(taken);
  startDeadline(500, outer).end();

  expect(vi.getTimerCount()).toBe(before);
  expect(taken).toHaveBeenCalledOnce();
});

test('a listener that has unsubscribed is not called, one added after expiry is called at once', () => {
  const deadline = startDeadline(1_000);
  const [early, late] = [vi.fn(), vi.fn()];
  const unsubscribe = deadline.onExpire(early);
  unsubscribe();
  deadline.end();
  deadline.onExpire(late);

  expect(early).not.toHaveBeenCalled();
  expect(late).toHaveBeenCalledOnce();
});

test('a sleep ends in its time, or when the deadline expires', async () => {
  vi.useRealTimers();
  const deadline = startDeadline(1_000);

  expect(await sleepWithin(5, deadline)).toBe(true);
  const broken = sleepWithin(500, deadline);
  deadline.end();
  expect(await broken).toBe(false);
});

test('the latest deadline expires when all have', () => {
  const [one, two] = [startDeadline(100), startDeadline(300)];
  const last = latestDeadline([one, two]);

  expect(last.at).toBe(two.at);
  vi.advanceTimersByTime(100);
  expect(last.isExpired).toBe(false);
  vi.advanceTimersByTime(200);
  expect(last.isExpired).toBe(true);
  expect(latestDeadline([one, two]).isExpired).toBe(true);
});
