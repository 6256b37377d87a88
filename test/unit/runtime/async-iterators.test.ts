import { describe, expect, test, vi } from 'vitest';
import { flatMapAsyncIterator, mapAsyncIterator, singleEvent } from '../../../src/runtime/async-iterators.ts';
import { type ConflatedChannel, createConflatedChannel } from '../../../src/runtime/conflated-channel.ts';

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
  test('are those of the source, each mapped', async () => {
    const source = (async function* () {
      yield* [1, 2, 3];
    })();

    const mapped: number[] = [];
    for await (const value of mapAsyncIterator(source, async (value) => double(value))) mapped.push(value);

    expect(mapped).toEqual([2, 4, 6]);
  });

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

  test('fail as the source does', async () => {
    const { feed } = createSource();
    const error = new Error('no right');
    const mapped = mapAsyncIterator(feed.values, double);
    feed.fail(error);

    await expect(mapped.next()).rejects.toBe(error);
    expect((await mapped.next()).done).toBe(true);
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

  test('end after a failure, whatever the source still has', async () => {
    const source = {
      next: async (): Promise<IteratorResult<number>> => ({ done: false, value: 1 }),
    };
    const mapped = mapAsyncIterator(source, () => {
      throw new Error('unreadable');
    });

    await expect(mapped.next()).rejects.toThrow('unreadable');
    expect(await mapped.next()).toEqual({ done: true, value: undefined });
  });

  test('leave the source when an event cannot be mapped', async () => {
    const { feed, left } = createSource();
    const mapped = mapAsyncIterator(feed.values, () => {
      throw new Error('unreadable');
    });
    feed.push(1);

    await expect(mapped.next()).rejects.toThrow('unreadable');
    expect(left()).toBe(1);
  });
});

test('a single event is followed by the end', async () => {
  const told: string[] = [];
  for await (const event of singleEvent('done')) told.push(event);

  expect(told).toEqual(['done']);
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

  test('end when the consumer leaves, though some were mapped already', async () => {
    const values = flatMapAsyncIterator(numbers(), (count) => [{ count }, { count }]);
    await values.next();
    await values.return?.();

    expect(await values.next()).toEqual({ done: true, value: undefined });
  });
});
