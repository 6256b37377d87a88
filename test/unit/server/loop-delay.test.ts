import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type LoopDelay, startLoopDelay } from '../../../src/server/loop-delay.ts';

function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

/** The most it says of the next second. */
async function mostSaid(delay: LoopDelay): Promise<number> {
  let most = 0;
  for (let at = 0; at < 8; at++) {
    await sleep(100);
    most = Math.max(most, delay.lastingMs());
  }
  delay.stop();
  return most;
}

test('an event loop that stops once, however long, is not late', async () => {
  const delay = startLoopDelay();
  await sleep(700);
  block(800);

  expect(await mostSaid(delay)).toBeLessThan(300);
});

test('an event loop that stops again and again is as late as it stops', async () => {
  const delay = startLoopDelay();
  for (let at = 0; at < 6; at++) {
    block(250);
    await sleep(1);
  }

  expect(delay.lastingMs()).toBeGreaterThan(150);
  expect(delay.lastingMs()).toBeLessThan(1_000);
  delay.stop();
});

test('an event loop that stops for longer than is looked back at a time is late, too', async () => {
  const delay = startLoopDelay();
  for (let at = 0; at < 2; at++) {
    block(700);
    await sleep(1);
  }

  expect(delay.lastingMs()).toBeGreaterThan(600);
  delay.stop();
});
