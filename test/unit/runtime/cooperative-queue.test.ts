import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitForTurn } from '../../../src/runtime/cooperative-queue.ts';

function workFor(ms: number): void {
  const startedAt = performance.now();
  while (performance.now() - startedAt < ms);
}

test('between two long pieces of work other work gets as much time as the first took', async () => {
  const pieces: { readonly startedAt: number; readonly endedAt: number }[] = [];
  const all = Promise.all(
    [1, 2, 3].map(() =>
      waitForTurn('one').then(() => {
        const startedAt = performance.now();
        workFor(20);
        pieces.push({ startedAt, endedAt: performance.now() });
      }),
    ),
  );

  // Others always have something to do.
  while (pieces.length < 3) {
    workFor(1);
    await nextRound();
  }
  await all;

  for (const [index, { startedAt, endedAt }] of pieces.slice(0, -1).entries()) {
    const pauseMs = (pieces[index + 1]?.startedAt ?? 0) - endedAt;
    // A piece takes longer than its 20 ms where the machine is busy, and no rest is longer than 250 ms.
    expect(pauseMs).toBeGreaterThanOrEqual(Math.min(endedAt - startedAt, 250));
  }
});

test('keys take turns, however many pieces of work one of them has', async () => {
  const order: string[] = [];

  await Promise.all(
    ['one', 'one', 'one', 'other'].map((key) => waitForTurn(key).then(() => order.push(key))),
  );

  expect(order).toEqual(['one', 'other', 'one', 'one']);
});
