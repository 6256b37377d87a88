import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lastOf, pause, startDeadline } from '../../../src/upstream/deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a deadline is over when its time has come, and tells that once', () => {
  const deadline = startDeadline(1_000);
  const told = vi.fn();
  deadline.onOver(told);
  vi.advanceTimersByTime(999);
  expect(deadline.isOver).toBe(false);
  vi.advanceTimersByTime(1);

  deadline.end();

  expect(deadline.isOver).toBe(true);
  expect(told).toHaveBeenCalledOnce();
});

test('one within another is over with it, and never later', () => {
  const outer = startDeadline(1_000);
  const [short, long] = [startDeadline(10, outer), startDeadline(5_000, outer)];
  expect(long.at).toBe(outer.at);
  expect(short.at).toBeLessThan(outer.at);

  outer.end();
  expect(short.isOver && long.isOver).toBe(true);
  expect(startDeadline(5_000, outer).isOver).toBe(true);
});

test('one that has ended leaves no timer and nothing at the other', () => {
  const outer = startDeadline(1_000);
  const before = vi.getTimerCount();
  const taken = vi.fn();
  vi.spyOn(outer, 'onOver').mockReturnValue(taken);
  startDeadline(500, outer).end();

  expect(vi.getTimerCount()).toBe(before);
  expect(taken).toHaveBeenCalledOnce();
});

test('who has taken it back is not told, and who comes too late is told at once', () => {
  const deadline = startDeadline(1_000);
  const [early, late] = [vi.fn(), vi.fn()];
  const stay = deadline.onOver(early);
  stay();
  deadline.end();
  deadline.onOver(late);

  expect(early).not.toHaveBeenCalled();
  expect(late).toHaveBeenCalledOnce();
});

test('a pause is over in its time, and broken off when nobody waits any more', async () => {
  vi.useRealTimers();
  const deadline = startDeadline(1_000);

  expect(await pause(5, deadline)).toBe(true);
  const broken = pause(500, deadline);
  deadline.end();
  expect(await broken).toBe(false);
});

test('a pause that is too long is not begun', async () => {
  const deadline = startDeadline(1_000);

  expect(await pause(1_001, deadline)).toBe(false);
  deadline.end();
});

test('the last of several is over when all are', () => {
  const [one, two] = [startDeadline(100), startDeadline(300)];
  const last = lastOf([one, two]);

  expect(last.at).toBe(two.at);
  vi.advanceTimersByTime(100);
  expect(last.isOver).toBe(false);
  vi.advanceTimersByTime(200);
  expect(last.isOver).toBe(true);
  expect(lastOf([one, two]).isOver).toBe(true);
});
