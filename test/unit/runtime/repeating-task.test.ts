import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type RunResult, startRepeatingTask } from '../../../src/runtime/repeating-task.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A task whose runs end when they are told to. */
function start() {
  const ends: ((result: RunResult) => void)[] = [];
  const task = startRepeatingTask(() => new Promise((resolve) => ends.push(resolve)));
  return {
    task,
    runs: () => ends.length,
    async end(waitMs: number, isMinimum = false) {
      ends.at(-1)?.({ waitMs, isMinimum });
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

test('runs at once, and again so long after a run has ended', async () => {
  const { runs, end } = start();
  expect(runs()).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(runs()).toBe(1);

  await end(1_000);
  await vi.advanceTimersByTimeAsync(999);
  expect(runs()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(runs()).toBe(2);
});

test('runs at once when it is triggered, and then waits anew', async () => {
  const { task, runs, end } = start();
  await end(1_000);
  task.trigger();
  await vi.advanceTimersByTimeAsync(0);
  expect(runs()).toBe(2);

  await end(1_000);
  await vi.advanceTimersByTimeAsync(999);
  expect(runs()).toBe(2);
});

test('runs once more when it is triggered during a run, however often', async () => {
  const { task, runs, end } = start();
  task.trigger();
  task.trigger();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(runs()).toBe(1);

  await end(1_000);
  expect(runs()).toBe(2);
  await end(1_000);
  expect(runs()).toBe(2);
});

test('a trigger does not shorten a minimum wait', async () => {
  const { task, runs, end } = start();
  task.trigger();
  await end(1_000, true);
  task.trigger();
  await vi.advanceTimersByTimeAsync(999);
  expect(runs()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(runs()).toBe(2);
});

test('does not run again once it is stopped, whether it waits or runs', async () => {
  const waiting = start();
  await waiting.end(1_000);
  waiting.task.stop();
  waiting.task.trigger();
  const running = start();
  running.task.stop();
  running.task.trigger();
  await running.end(0);
  await vi.advanceTimersByTimeAsync(10_000);

  expect([waiting.runs(), running.runs(), vi.getTimerCount()]).toEqual([1, 1, 0]);
});
