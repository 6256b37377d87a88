import { describe, expect, test } from 'vitest';
import { createFeed } from '../../../src/operations/feed.ts';

const nobody = () => {};

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const read: Value[] = [];
  for await (const value of values) read.push(value);
  return read;
}

describe('a feed', () => {
  test('hands over values in order, told before or after they are waited for', async () => {
    const feed = createFeed<number>(nobody);
    const { values } = feed;
    feed.push(1);
    const first = await values.next();
    const waiting = values.next();
    feed.push(2);

    expect([first.value, (await waiting).value]).toEqual([1, 2]);
  });

  test('drops what a slow listener misses, never the last', async () => {
    const feed = createFeed<number>(nobody);
    for (const value of [1, 2, 3]) feed.push(value);
    feed.end();

    expect(await all(feed.values)).toEqual([3]);
  });

  test('hands over values that are falsy', async () => {
    const feed = createFeed<unknown>(nobody);
    const { values } = feed;

    const read = [];
    for (const value of [0, '', null, undefined]) {
      feed.push(value);
      read.push(await values.next());
    }

    expect(read.map(({ done, value }) => [done, value])).toEqual([
      [false, 0],
      [false, ''],
      [false, null],
      [false, undefined],
    ]);
  });

  test('ends after its last value, at once where it is waited for', async () => {
    const feed = createFeed<number>(nobody);
    const { values } = feed;
    const waiting = values.next();
    feed.end();

    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await values.next()).toEqual({ done: true, value: undefined });
  });

  test('fails with the error told, after its last value', async () => {
    const feed = createFeed<number>(nobody);
    const error = new Error('gone');
    feed.push(1);
    feed.fail(error);
    const { values } = feed;

    expect(await values.next()).toEqual({ done: false, value: 1 });
    await expect(values.next()).rejects.toBe(error);
  });

  test('fails with an error that is undefined', async () => {
    const feed = createFeed<number>(nobody);
    feed.fail(undefined);

    await expect(feed.values.next()).rejects.toBeUndefined();
  });

  test('fails once: who reads on is told that it is over', async () => {
    const feed = createFeed<number>(nobody);
    feed.fail(new Error('broken'));

    await expect(feed.values.next()).rejects.toThrow('broken');
    expect(await feed.values.next()).toEqual({ done: true, value: undefined });
  });

  test('ends once: what ends it first counts', async () => {
    const ended = createFeed<number>(nobody);
    ended.end();
    ended.fail(new Error('too late'));
    const failed = createFeed<number>(nobody);
    failed.fail(new Error('first'));
    failed.end();

    expect(await all(ended.values)).toEqual([]);
    await expect(all(failed.values)).rejects.toThrow('first');
  });
});

describe('leaving a feed', () => {
  test('ends the wait for the next value at once, and is told once', async () => {
    let left = 0;
    const { values } = createFeed<number>(() => {
      left += 1;
    });
    const waiting = values.next();

    const returned = await values.return?.();
    await values.return?.();

    expect(returned).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(left).toBe(1);
  });

  test('drops what was told but not read', async () => {
    const { values, push } = createFeed<number>(nobody);
    push(1);

    await values.return?.();

    expect(await values.next()).toEqual({ done: true, value: undefined });
  });

  test('after its end is not told', async () => {
    let left = 0;
    const { values, end } = createFeed<number>(() => {
      left += 1;
    });
    end();
    await values.return?.();

    expect(left).toBe(0);
  });

  test('goes by the end of a loop that breaks off', async () => {
    let left = 0;
    const { values, push } = createFeed<number>(() => {
      left += 1;
    });
    push(1);
    for await (const value of values) if (value === 1) break;

    expect(left).toBe(1);
  });
});
