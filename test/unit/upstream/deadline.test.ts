import { once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lastOf, pause, startDeadline } from '../../../src/upstream/deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a deadline aborts when its time is over, and says that it is', () => {
  const deadline = startDeadline(1_000);
  vi.advanceTimersByTime(999);
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);

  expect(deadline.signal).toMatchObject({ aborted: true, reason: { name: 'TimeoutError' } });
  deadline.end();
});

test('one within another is over with it, and never later', () => {
  const outer = startDeadline(1_000);
  const [short, long] = [startDeadline(10, outer), startDeadline(5_000, outer)];
  expect(long.at).toBe(outer.at);
  expect(short.at).toBeLessThan(outer.at);

  outer.end();
  expect(short.signal.aborted && long.signal.aborted).toBe(true);
  expect(startDeadline(5_000, outer).signal.aborted).toBe(true);
});

test('one that has ended leaves no timer and nothing at the other', () => {
  const outer = startDeadline(1_000);
  const before = vi.getTimerCount();
  const remove = vi.spyOn(outer.signal, 'removeEventListener');
  startDeadline(500, outer).end();

  expect(vi.getTimerCount()).toBe(before);
  expect(remove).toHaveBeenCalledOnce();
});

test('a pause is over in its time, and broken off when nobody waits any more', async () => {
  vi.useRealTimers();
  const deadline = startDeadline(1_000);

  expect(await pause(5, deadline)).toBe(true);
  const broken = pause(500, deadline);
  deadline.end();
  expect(await broken).toBe(false);
});

test('as many may wait for a deadline, and for the last of several, as there are calls', async () => {
  vi.useRealTimers();
  const deadline = startDeadline(1_000);
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  for (const { signal } of [deadline, lastOf([deadline])])
    for (let calls = 0; calls < 100; calls++) signal.addEventListener('abort', () => {});
  // Warnings come in a turn of their own: this one behind any other.
  process.emitWarning('the last');
  await once(process, 'warning');
  process.off('warning', note);
  deadline.end();

  expect(warnings.map(({ message }) => message)).toEqual(['the last']);
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
  expect(last.signal.aborted).toBe(false);
  vi.advanceTimersByTime(200);
  expect(last.signal.aborted).toBe(true);
  expect(lastOf([one, two]).signal.aborted).toBe(true);
});
