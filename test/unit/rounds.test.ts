import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ownRound } from '../../src/rounds.ts';

test('one who waits goes on in each round of the event loop, in the order they came', async () => {
  const rounds: number[][] = [[]];
  const all = Promise.all([1, 2, 3].map((n) => ownRound().then(() => rounds.at(-1)?.push(n))));

  for (let round = 0; round < 5; round++) {
    await nextRound();
    rounds.push([]);
  }
  await all;

  expect(rounds.flat()).toEqual([1, 2, 3]);
  expect(Math.max(...rounds.map(({ length }) => length))).toBe(1);
});
