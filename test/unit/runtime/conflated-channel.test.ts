import { describe, expect, test } from 'vitest';
import { createConflatedChannel } from '../../../src/runtime/conflated-channel.ts';

const nobody = () => {};

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const read: Value[] = [];
  for await (const value of values) read.push(value);
  return read;
}

describe('a conflated channel', () => {
  test('drops what a slow consumer misses, never the last value', async () => {
    const feed = createConflatedChannel<number>(nobody);
    for (const value of [1, 2, 3]) feed.push(value);
    feed.end();

    expect(await all(feed.values)).toEqual([3]);
  });

  test('ends after its last value, at once where that is awaited', async () => {
    const feed = createConflatedChannel<number>(nobody);
    const { values } = feed;
    const waiting = values.next();
    feed.end();

    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await values.next()).toEqual({ done: true, value: undefined });
  });

  test('fails with the given error, after its last value', async () => {
    const feed = createConflatedChannel<number>(nobody);
    const error = new Error('gone');
    feed.push(1);
    feed.fail(error);
    const { values } = feed;

    expect(await values.next()).toEqual({ done: false, value: 1 });
    await expect(values.next()).rejects.toBe(error);
  });
});

describe('leaving a conflated channel', () => {
  test('ends a pending read at once, and calls onCancel once', async () => {
    let left = 0;
    const { values } = createConflatedChannel<number>(() => {
      left += 1;
    });
    const waiting = values.next();

    const returned = await values.return?.();
    await values.return?.();

    expect(returned).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(left).toBe(1);
  });
});
