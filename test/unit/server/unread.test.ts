import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createUnreadEvents, type UnreadEvent } from '../../../src/server/unread.ts';

const mib = 1024 * 1024;
const ofCaller = 16 * mib;
const ofAll = 64 * mib;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An event of a caller, with its bytes once there is room for it. */
function send(unread: ReturnType<typeof createUnreadEvents>, caller: string, bytes: number) {
  const cutOff = vi.fn(() => event?.release());
  const sent = { isWritten: false, cutOff, release: () => event?.release() };
  let event: UnreadEvent | null = null;
  const write = (given: UnreadEvent) => {
    event = given;
    sent.isWritten = true;
    given.written(bytes);
  };
  const given = unread.reserve(caller, cutOff);
  if (given instanceof Promise) void given.then(write);
  else write(given);
  return sent;
}

const settled = () => vi.advanceTimersByTimeAsync(0);

test('a caller has a quarter of the memory for unread events, and its next waits until one is read', async () => {
  const unread = createUnreadEvents();
  const first = [1, 2, 3, 4].map(() => send(unread, 'ann', ofCaller / 4));
  const next = send(unread, 'ann', 1);
  const other = send(unread, 'bob', 1);
  await settled();
  expect([...first, next, other].map(({ isWritten }) => isWritten)).toEqual([
    true,
    true,
    true,
    true,
    false,
    true,
  ]);

  first[0]?.release();
  await settled();
  expect(next.isWritten).toBe(true);
});

test('an event longer than a share is written where its caller has none that is unread', async () => {
  const unread = createUnreadEvents();
  const [long, next] = [send(unread, 'ann', 2 * ofCaller), send(unread, 'ann', 1)];
  await settled();
  expect([long.isWritten, next.isWritten]).toEqual([true, false]);

  long.release();
  await settled();
  expect(next.isWritten).toBe(true);
});

test('events whose size is not known yet do not all begin at once', async () => {
  const unread = createUnreadEvents();
  const given = Array.from({ length: 100 }, (_, at) => unread.reserve(`caller-${at}`, () => {}));

  expect(given.filter((one) => !(one instanceof Promise))).toHaveLength(16);
});

test('where all memory is taken, callers take turns, and whoever has nothing unread comes first', async () => {
  const unread = createUnreadEvents();
  const full = ['a', 'b', 'c', 'd'].map((caller) => send(unread, caller, ofAll / 4));
  const more = [send(unread, 'a', 1), send(unread, 'a', 1)];
  const other = send(unread, 'honest', ofCaller);
  await settled();
  expect(other.isWritten).toBe(false);

  full[1]?.release();
  await settled();
  expect([other, ...more].map(({ isWritten }) => isWritten)).toEqual([true, false, false]);
});

test('who does not read is cut off once others have waited, and nobody is where none waits', async () => {
  const unread = createUnreadEvents();
  const alone = send(unread, 'bob', ofCaller);
  const stopped = send(unread, 'ann', ofCaller);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(stopped.cutOff).not.toHaveBeenCalled();

  const next = send(unread, 'ann', 1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(next.isWritten).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);

  expect(stopped.cutOff).toHaveBeenCalledOnce();
  expect(next.isWritten).toBe(true);
  expect(alone.cutOff).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
