import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createUnreadEventLimiter, type UnreadEvent } from '../../../../src/server/load/unread-bytes.ts';

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
function send(unread: ReturnType<typeof createUnreadEventLimiter>, caller: string, bytes: number) {
  const cutOff = vi.fn(() => event?.release());
  const sent = { isWritten: false, cutOff, release: () => event?.release() };
  let event: UnreadEvent | null = null;
  const write = (given: UnreadEvent) => {
    event = given;
    sent.isWritten = true;
    given.setSize(bytes);
  };
  const given = unread.reserve(caller, cutOff);
  if (given instanceof Promise) void given.then(write);
  else write(given);
  return sent;
}

const settled = () => vi.advanceTimersByTimeAsync(0);

test('a caller may use a quarter of the memory; its next event waits until one is read', async () => {
  const unread = createUnreadEventLimiter();
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

test('an event larger than the share is sent if its caller has nothing unread', async () => {
  const unread = createUnreadEventLimiter();
  const [long, next] = [send(unread, 'ann', 2 * ofCaller), send(unread, 'ann', 1)];
  await settled();
  expect([long.isWritten, next.isWritten]).toEqual([true, false]);

  long.release();
  await settled();
  expect(next.isWritten).toBe(true);
});

test('when memory is full, room goes to the first who has not used up the share', async () => {
  const unread = createUnreadEventLimiter();
  const full = ['a', 'b', 'c', 'd'].map((caller) => send(unread, caller, ofAll / 4));
  const more = [send(unread, 'a', 1), send(unread, 'a', 1)];
  const other = send(unread, 'honest', ofCaller);
  await settled();
  expect(other.isWritten).toBe(false);

  full[1]?.release();
  await settled();
  expect([other, ...more].map(({ isWritten }) => isWritten)).toEqual([true, false, false]);
});

test('callers whose events wait take turns', async () => {
  const unread = createUnreadEventLimiter();
  const quarter = ofCaller / 4;
  for (const caller of ['a', 'b', 'c']) send(unread, caller, ofCaller);
  const read = [1, 2, 3, 4].map(() => send(unread, 'd', quarter));
  const waiting = [send(unread, 'ann', quarter), send(unread, 'ann', quarter), send(unread, 'ben', quarter)];

  for (const event of read.slice(0, 2)) {
    event.release();
    await settled();
  }
  expect(waiting.map(({ isWritten }) => isWritten)).toEqual([true, false, true]);
});

test('a client that does not read is disconnected only after others have waited', async () => {
  const unread = createUnreadEventLimiter();
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
