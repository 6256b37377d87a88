import { describe, expect, test } from 'vitest';
import { createFeed, type Feed } from '../../../src/operations/feed.ts';
import { mapEvents, onlyEvent } from '../../../src/operations/map-events.ts';

interface Source {
  readonly feed: Feed<number>;
  /** How many times the source was left. */
  left(): number;
}

function createSource(): Source {
  let left = 0;
  const feed = createFeed<number>(() => {
    left += 1;
  });
  return { feed, left: () => left };
}

const double = (value: number) => value * 2;

describe('mapped events', () => {
  test('are those of the source, each turned into another', async () => {
    const source = (async function* () {
      yield* [1, 2, 3];
    })();

    const mapped: number[] = [];
    for await (const value of mapEvents(source, async (value) => double(value))) mapped.push(value);

    expect(mapped).toEqual([2, 4, 6]);
  });

  test('end at once when they are left, and so does the source, though it is waited for', async () => {
    const { feed, left } = createSource();
    const mapped = mapEvents(mapEvents(feed.values, double), double);
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
    const mapped = mapEvents(feed.values, double);
    feed.fail(error);

    await expect(mapped.next()).rejects.toBe(error);
    expect((await mapped.next()).done).toBe(true);
  });

  test('end with what a failure is turned into', async () => {
    const { feed } = createSource();
    feed.push(1);
    feed.fail(new Error('no right'));

    const told: string[] = [];
    const mapped = mapEvents(feed.values, String, (failure) => (failure as Error).message);
    for await (const value of mapped) told.push(value);

    expect(told).toEqual(['1', 'no right']);
  });

  test('are over after a failure, whatever the source still has', async () => {
    const source = {
      next: async (): Promise<IteratorResult<number>> => ({ done: false, value: 1 }),
    };
    const mapped = mapEvents(source, () => {
      throw new Error('unreadable');
    });

    await expect(mapped.next()).rejects.toThrow('unreadable');
    expect(await mapped.next()).toEqual({ done: true, value: undefined });
  });

  test('leave the source when one cannot be turned into another: nobody else would', async () => {
    const { feed, left } = createSource();
    const mapped = mapEvents(feed.values, () => {
      throw new Error('unreadable');
    });
    feed.push(1);

    await expect(mapped.next()).rejects.toThrow('unreadable');
    expect(left()).toBe(1);
  });
});

test('a single event is told, then no other', async () => {
  const told: string[] = [];
  for await (const event of onlyEvent('done')) told.push(event);

  expect(told).toEqual(['done']);
});
