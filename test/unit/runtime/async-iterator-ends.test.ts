import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { endEventsAt, onFinish, scheduleAt } from '../../../src/runtime/async-iterators.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A source that never ends by itself. */
function endless() {
  let end = (_result: IteratorResult<string>) => {};
  const events: AsyncIterableIterator<string> = {
    next: () => new Promise((resolve) => (end = resolve)),
    async return() {
      end({ done: true, value: undefined });
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return events;
}

async function* letters() {
  yield 'a';
  yield 'b';
}

test('calls back once when the events have ended, and after each of them', async () => {
  const [finished, after] = [vi.fn(), vi.fn()];
  const events = onFinish(letters(), finished, after);
  await events.next();
  await events.next();
  expect(finished).not.toHaveBeenCalled();
  await events.next();
  await events.return?.();

  expect([finished.mock.calls.length, after.mock.calls.length]).toEqual([1, 3]);
});

test('calls back when the consumer leaves while an event is awaited, and when the source fails', async () => {
  const finished = vi.fn();
  const left = onFinish(endless(), finished);
  const next = left.next();
  await left.return?.();
  expect((await next).done).toBe(true);
  expect(finished).toHaveBeenCalledTimes(1);

  const failing = onFinish(
    (async function* (): AsyncGenerator<string> {
      yield await Promise.reject(new Error('lost'));
    })(),
    finished,
  );
  await expect(failing.next()).rejects.toThrow('lost');
  expect(finished).toHaveBeenCalledTimes(2);
});

test('ends a pending event at the instant, with a last event', async () => {
  const events = endEventsAt(endless(), Date.now() + 1_000, 'last');
  const next = events.next();
  await vi.advanceTimersByTimeAsync(1_000);

  expect(await next).toEqual({ done: false, value: 'last' });
});

test('leaves no timer when the events end or the consumer leaves earlier', async () => {
  const ended = endEventsAt(letters(), Date.now() + 1_000, 'last');
  const seen: string[] = [];
  for await (const event of ended) seen.push(event);
  const left = endEventsAt(endless(), Date.now() + 1_000, 'last');
  await left.return?.();

  expect(seen).toEqual(['a', 'b']);
  expect(vi.getTimerCount()).toBe(0);
});

test('an instant further away than a timer can be is not now', async () => {
  const act = vi.fn();
  const cancel = scheduleAt(Date.now() + 2 ** 40, act);
  await vi.advanceTimersByTimeAsync(60_000);
  cancel();

  expect(act).not.toHaveBeenCalled();
});
