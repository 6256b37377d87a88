import { describe, expect, test } from 'vitest';
import { createFeed } from '../../../src/operations/feed.ts';

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const read: Value[] = [];
  for await (const value of values) read.push(value);
  return read;
}

describe('a feed', () => {
  test('hands over values in order, told before or after they are waited for', async () => {
    const feed = createFeed<number>();
    const values = feed.read();
    feed.push(1);
    const first = await values.next();
    const waiting = values.next();
    feed.push(2);

    expect([first.value, (await waiting).value]).toEqual([1, 2]);
  });

  test('drops what a slow listener misses, never the last', async () => {
    const feed = createFeed<number>();
    for (const value of [1, 2, 3]) feed.push(value);
    feed.end();

    expect(await all(feed.read())).toEqual([3]);
  });

  test('hands over values that are falsy', async () => {
    const feed = createFeed<unknown>();
    const values = feed.read();

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
    const feed = createFeed<number>();
    const values = feed.read();
    const waiting = values.next();
    feed.end();

    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await values.next()).toEqual({ done: true, value: undefined });
  });

  test('fails with the error told, after its last value', async () => {
    const feed = createFeed<number>();
    const error = new Error('gone');
    feed.push(1);
    feed.fail(error);
    const values = feed.read();

    expect(await values.next()).toEqual({ done: false, value: 1 });
    await expect(values.next()).rejects.toBe(error);
  });

  test('fails with an error that is undefined', async () => {
    const feed = createFeed<number>();
    feed.fail(undefined);

    await expect(feed.read().next()).rejects.toBeUndefined();
  });

  test('ends once: what ends it first counts', async () => {
    const ended = createFeed<number>();
    ended.end();
    ended.fail(new Error('too late'));
    const failed = createFeed<number>();
    failed.fail(new Error('first'));
    failed.end();

    expect(await all(ended.read())).toEqual([]);
    await expect(all(failed.read())).rejects.toThrow('first');
  });
});
