import { expect, onTestFinished, test } from 'vitest';
import { startDeadline } from '../../../src/runtime/deadline.ts';
import { type OnLate, SingleFlight } from '../../../src/runtime/single-flight.ts';

const fail: OnLate<string> = (run, _resolve, reject) => {
  run.leave();
  reject(new Error('late'));
};
const pending = () => new Promise<string>(() => {});

test('a run lasts until the deadline of its first waiter, or the latest of all', () => {
  const [near, far] = [startDeadline(1_000), startDeadline(2_000)];
  onTestFinished(() => {
    near.end();
    far.end();
  });
  for (const [until, expected] of [
    ['first', near],
    ['latest', far],
  ] as const) {
    const run = new SingleFlight<string>({ until }).start('a', pending);
    for (const waiter of [near, far]) run.wait(waiter, fail).catch(() => {});

    expect(run.deadline.at).toBe(expected.at);
  }
});

test('a run that has ended, however it has, is started anew', async () => {
  const flights = new SingleFlight<string>({ until: 'latest' });
  await flights.start('a', async () => 'done').wait(null, fail);
  expect(flights.get('a')).toBeUndefined();

  const failed = flights
    .start('a', async () => {
      throw new Error('failed');
    })
    .wait(null, fail);
  await expect(failed).rejects.toThrow('failed');
  expect(flights.get('a')).toBeUndefined();
});

test('a late waiter may wait on, and gets what the run returns at the end of its deadline', async () => {
  const flights = new SingleFlight<string>({ until: 'first' });
  const waiter = startDeadline(10_000);
  const result = flights
    .start('a', (deadline) => new Promise((resolve) => deadline.onExpire(() => resolve('partial'))))
    .wait(waiter, (run) => run.deadline.end());
  waiter.end();

  expect(await result).toBe('partial');
});
