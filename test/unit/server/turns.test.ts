import { expect, test } from 'vitest';
import { createTurns } from '../../../src/server/turns.ts';

function workFor(ms: number): void {
  const startedAt = performance.now();
  while (performance.now() - startedAt < ms);
}

test('work is done in the order it came, and its value told', async () => {
  const inTurn = createTurns();

  const values = await Promise.all(
    [1, 2, 3].map((value) => inTurn(() => [value, performance.now()] as const)),
  );

  expect(values.map(([value]) => value)).toEqual([1, 2, 3]);
  expect(values.map(([, at]) => at)).toEqual(values.map(([, at]) => at).toSorted((a, b) => a - b));
});

test('work that fails is told so, and what waits behind it is done', async () => {
  const inTurn = createTurns();

  const failed = inTurn(() => {
    throw new Error('no');
  });
  const done = inTurn(() => 'yes');

  await expect(failed).rejects.toThrow('no');
  expect(await done).toBe('yes');
});

test('nothing is done before whoever brought it has gone on', async () => {
  const inTurn = createTurns();
  let isDone = false;

  const done = inTurn(() => {
    isDone = true;
  });

  expect(isDone).toBe(false);
  await done;
  expect(isDone).toBe(true);
});

test('between long pieces of work others have their turn', async () => {
  const inTurn = createTurns();
  const order: string[] = [];

  const all = ['a', 'b', 'c'].map((name) =>
    inTurn(() => {
      workFor(10);
      order.push(name);
    }),
  );
  const other = async () => {
    for (let turn = 0; turn < 2; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      order.push('other');
    }
  };
  await Promise.all([...all, other()]);

  expect(order).toEqual(['a', 'other', 'b', 'other', 'c']);
});
