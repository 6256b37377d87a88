import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createBackoff, createRetryWindow } from '../../../../src/business/writing/retry-window.ts';
import { UpstreamError } from '../../../../src/errors.ts';

const failure = (retryAfterSeconds: number | null = null) =>
  new UpstreamError('UPSTREAM_THROTTLED', 'Not now.', {
    upstream: 'business',
    delivery: 'rejected',
    retryAfterSeconds,
  });

const patienceOf = () => createBackoff(createRetryWindow());

// The fake timers of vitest leave those of node:timers/promises as they are.
beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(timers, 'setTimeout').mockImplementation(
    (ms) => new Promise((resolve) => setTimeout(() => resolve(undefined as never), ms)),
  );
  syncBuiltinESMExports();
});

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  vi.useRealTimers();
});

/** What a pause answers, and after how many milliseconds. */
async function pause(patience: ReturnType<typeof createBackoff>, retryAfterSeconds: number | null = null) {
  const begin = Date.now();
  const answer = patience(failure(retryAfterSeconds));
  let end: number | undefined;
  void answer.then(() => {
    end = Date.now();
  });
  await vi.advanceTimersByTimeAsync(0);
  while (end === undefined) await vi.advanceTimersToNextTimerAsync();
  return [await answer, end - begin] as const;
}

const draw = (share: number) => vi.spyOn(Math, 'random').mockReturnValue(share);

describe('the pauses after the failures of one write', () => {
  test('are at most twice as long each time, up to five seconds', async () => {
    draw(1);
    const patience = patienceOf();
    const lengths: number[] = [];
    for (let count = 0; count < 10; count += 1) lengths.push((await pause(patience))[1]);

    expect(lengths).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  });

  test('are as long as the upstream asks for, to the millisecond, and not made longer at random', async () => {
    draw(1);

    expect(await pause(patienceOf(), 7)).toEqual([true, 7_000]);
  });
});

describe('what takes longer than a minute', () => {
  test('is not waited for at all', async () => {
    expect(await pause(patienceOf(), 60)).toEqual([true, 60_000]);
    expect(await pause(patienceOf(), 61)).toEqual([false, 0]);
    expect(await pause(patienceOf(), 3_600)).toEqual([false, 0]);
  });

  test('is not waited for by many writes of one mutation, either: they share the minute', async () => {
    draw(0);
    const followUp = createRetryWindow();
    const [one, other] = [createBackoff(followUp), createBackoff(followUp)];

    expect(await pause(one, 40)).toEqual([true, 40_000]);
    expect(await pause(other, 40)).toEqual([false, 0]);
    expect(followUp.remainingMs()).toBe(20_000);
  });

  test('is counted by a clock that nobody sets', async () => {
    draw(0);
    const patience = patienceOf();
    await pause(patience);
    vi.setSystemTime(Date.now() + 3_600_000);

    expect(await pause(patience, 59)).toEqual([true, 59_000]);
    vi.setSystemTime(Date.now() - 7_200_000);
    expect(await pause(patience, 2)).toEqual([false, 0]);
  });
});

test('whatever is asked for, no pause is shorter than that, none begins that cannot end in time, and they are ten at most', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(fc.integer({ min: 0, max: 90 })), { maxLength: 20 }),
      async (asked) => {
        const patience = patienceOf();
        const begin = Date.now();
        let pauses = 0;
        for (const seconds of asked) {
          const [isPaused, ms] = await pause(patience, seconds);
          if (isPaused) pauses += 1;
          if (isPaused) expect(ms).toBeGreaterThanOrEqual((seconds ?? 0) * 1_000);
          else expect(ms).toBe(0);
        }
        expect(pauses).toBeLessThanOrEqual(10);
        expect(Date.now() - begin).toBeLessThanOrEqual(60_000);
      },
    ),
  );
});
