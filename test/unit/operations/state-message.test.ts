import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMessageOrder, parseStateMessage } from '../../../src/operations/tracker.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_000 }));
afterEach(() => void vi.useRealTimers());

describe('the number of a message', () => {
  test('is the time, and one more where the time has not advanced', () => {
    const order = createMessageOrder();

    expect([order.next(), order.next()]).toEqual([1_700_000_000_000, 1_700_000_000_001]);
  });

  test('is above every number that was received, also where the clock of this replica is behind', () => {
    const order = createMessageOrder();
    order.accept(1_800_000_000_000);

    expect(order.next()).toBe(1_800_000_000_001);
  });
});

describe('a received message', () => {
  test('is newer with a higher number, and not with the same', () => {
    const order = createMessageOrder();
    order.accept(5);

    expect([6, 5, 4].map((number) => order.isNewer(number, false))).toEqual([true, false, false]);
  });

  test('with a lower number is newer after ten seconds, but never to the leader', () => {
    const order = createMessageOrder();
    order.accept(5);
    vi.advanceTimersByTime(9_999);
    expect(order.isNewer(4, false)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(order.isNewer(4, false)).toBe(true);
    expect(order.isNewer(5, false)).toBe(false);
    expect(order.isNewer(4, true)).toBe(false);
    expect(order.isNewer(6, true)).toBe(true);
  });
});

test.each([
  '',
  'null',
  '{',
  '[]',
  '{"number":9}',
  '{"number":"9","state":null,"isFinished":false}',
  '{"number":9,"isFinished":false}',
  '{"number":9,"state":null,"isFinished":1}',
])('%j is no message', (text) => {
  expect(parseStateMessage(text)).toBe(null);
});
