import { describe, expect, test } from 'vitest';
import { createConflatedChannel } from '../../../src/runtime/conflated-channel.ts';

const nobody = () => {};

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const read: Value[] = [];
  for await (const value of values) read.push(value);
  return read;
}

describe('a conflated channel', () => {
  test('delivers values in order, pushed before or after they are awaited', async () => {
    const feed = createConflatedChannel<number>(nobody);
    const { values } = feed;
    feed.push(1);
    const first = await values.next();
    const waiting = values.next();
    feed.push(2);

    expect([first.value, (await waiting).value]).toEqual([1, 2]);
  });

  test('drops what a slow consumer misses, never the last value', async () => {
    const feed = createConflatedChannel<number>(nobody);
    for (const value of [1, 2, 3]) feed.push(value);
    feed.end();

    expect(await all(feed.values)).toEqual([3]);
  });

  test('delivers falsy values', async () => {
    const feed = createConflatedChannel<unknown>(nobody);
    const { values } = feed;

    for (const value of [0, undefined]) {
      feed.push(value);
      expect(await values.next()).toEqual({ done: false, value });
    }
  });

  test('ends after its last value, at once where that is awaited', async () => {
    const feed = createConflatedChannel<number>(nobody);
    const { values } = feed;
    const waiting = values.next();
    feed.end();

    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await values.next()).toEqual({ done: true, value: undefined });
  });

  test('ends once: the first end counts', async () => {
    const ended = createConflatedChannel<number>(nobody);
    ended.end();
    ended.fail(new Error('too late'));
    const failed = createConflatedChannel<number>(nobody);
    failed.fail(new Error('first'));
    failed.end();

    expect(await all(ended.values)).toEqual([]);
    await expect(all(failed.values)).rejects.toThrow('first');
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

  test('after its end does not call onCancel', async () => {
    let left = 0;
    const { values, end } = createConflatedChannel<number>(() => {
      left += 1;
    });
    end();
    await values.return?.();

    expect(left).toBe(0);
  });
});
