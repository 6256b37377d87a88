import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  endEventsAt,
  flatMapAsyncIterator,
  mapAsyncIterator,
  onFinish,
  scheduleAt,
} from '../../../src/runtime/async-iterators.ts';
import { type ConflatedChannel, createConflatedChannel } from '../../../src/runtime/conflated-channel.ts';

afterEach(() => void vi.useRealTimers());

interface Source {
  readonly feed: ConflatedChannel<number>;
  /** How many times the source was left. */
  left(): number;
}

function createSource(): Source {
  let left = 0;
  const feed = createConflatedChannel<number>(() => {
    left += 1;
  });
  return { feed, left: () => left };
}

const double = (value: number) => value * 2;

describe('mapped events', () => {
  test('end at once when the consumer leaves, and so does the source, though its next event is pending', async () => {
    const { feed, left } = createSource();
    const mapped = mapAsyncIterator(mapAsyncIterator(feed.values, double), double);
    const waiting = mapped.next();

    const returned = await mapped.return?.();

    expect(returned).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await mapped.next()).toEqual({ done: true, value: undefined });
    expect(left()).toBe(1);
  });

  test('end with the event that a failure is mapped to', async () => {
    const { feed } = createSource();
    feed.push(1);
    feed.fail(new Error('no right'));

    const told: string[] = [];
    const mapped = mapAsyncIterator(feed.values, String, (failure) => (failure as Error).message);
    for await (const value of mapped) told.push(value);

    expect(told).toEqual(['1', 'no right']);
  });
});

describe('flat-mapped values', () => {
  async function* numbers() {
    yield 2;
    yield 0;
    yield 3;
  }

  test('are given out one by one, also where a value maps to none', async () => {
    const values = flatMapAsyncIterator(numbers(), async (count) =>
      Array.from({ length: count }, (_, index) => ({ count, index })),
    );

    const all: object[] = [];
    for await (const value of values) all.push(value);

    expect(all).toEqual([
      { count: 2, index: 0 },
      { count: 2, index: 1 },
      { count: 3, index: 0 },
      { count: 3, index: 1 },
      { count: 3, index: 2 },
    ]);
  });

  test('leave the source when a value cannot be mapped, and end after that', async () => {
    const source = { next: async () => ({ done: false as const, value: 1 }), return: vi.fn() };
    const values = flatMapAsyncIterator<number, object>(source, () => {
      throw new Error('cannot map');
    });

    await expect(values.next()).rejects.toThrow('cannot map');
    expect(source.return).toHaveBeenCalledTimes(1);
    expect(await values.next()).toEqual({ done: true, value: undefined });
  });
});

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
  vi.useFakeTimers();
  const events = endEventsAt(endless(), Date.now() + 1_000, 'last');
  const next = events.next();
  await vi.advanceTimersByTimeAsync(1_000);

  expect(await next).toEqual({ done: false, value: 'last' });
});

test('leaves no timer when the events end or the consumer leaves earlier', async () => {
  vi.useFakeTimers();
  const ended = endEventsAt(letters(), Date.now() + 1_000, 'last');
  const seen: string[] = [];
  for await (const event of ended) seen.push(event);
  const left = endEventsAt(endless(), Date.now() + 1_000, 'last');
  await left.return?.();

  expect(seen).toEqual(['a', 'b']);
  expect(vi.getTimerCount()).toBe(0);
});

test('an instant further away than a timer can be is not now', async () => {
  vi.useFakeTimers();
  const act = vi.fn();
  const cancel = scheduleAt(Date.now() + 2 ** 40, act);
  await vi.advanceTimersByTimeAsync(60_000);
  cancel();

  expect(act).not.toHaveBeenCalled();
});
