import { expect, test } from 'vitest';
import { createSemaphore } from '../../../src/runtime/semaphore.ts';

/** Tasks that note when they start, and end when they are told to. */
function startTasks(permits: number, count: number) {
  const run = createSemaphore(permits);
  const started: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const results = Array.from({ length: count }, (_, number) =>
    run(
      () =>
        new Promise<number>((resolve, reject) => {
          started.push(number);
          ends[number] = (error) => (error ? reject(error) : resolve(number));
        }),
    ),
  );
  return { run, started, ends, results };
}

test('runs as many tasks as there are permits, and the next in order when one ends', async () => {
  const { started, ends, results } = startTasks(2, 4);
  expect(started).toEqual([0, 1]);

  ends[1]?.();
  expect(await results[1]).toBe(1);
  await new Promise(setImmediate);
  expect(started).toEqual([0, 1, 2]);

  ends[0]?.();
  ends[2]?.();
  await results[2];
  await new Promise(setImmediate);
  expect(started).toEqual([0, 1, 2, 3]);
});

test('a task that fails, or throws at once, gives its permit back', async () => {
  const { run, ends, results } = startTasks(1, 1);
  ends[0]?.(new Error('failed'));
  await expect(results[0]).rejects.toThrow('failed');

  const broken = () => {
    throw new Error('at once');
  };
  await expect(run(broken)).rejects.toThrow('at once');
  expect(await run(async () => 'next')).toBe('next');
});

test('never runs more tasks than there are permits, though one comes just as another ends', async () => {
  const run = createSemaphore(4);
  let running = 0;
  let most = 0;
  const task = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
  };

  await Promise.all(Array.from({ length: 40 }, () => run(task).then(() => run(task))));

  expect(most).toBe(4);
});
