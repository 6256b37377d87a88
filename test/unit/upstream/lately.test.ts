import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Connection } from '../../../src/upstream/connection.ts';
import { createLately } from '../../../src/upstream/lately.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.advanceTimersByTime(98_765);
});
afterEach(() => void vi.useRealTimers());

const verdicts: Readonly<Record<string, boolean | null>> = {
  down: false,
  'not found': true,
  'cut short': null,
};

/** A count of calls that take so long and end as is said. */
function counting() {
  const lately = createLately((error) => verdicts[(error as Error).message] ?? null);
  const connection = lately.counted({
    async attempt(path: unknown, ms: unknown) {
      vi.advanceTimersByTime(Number(ms));
      if (path !== 'well') throw new Error(String(path));
      return 'answer';
    },
  } as unknown as Connection);
  const call = (how: string, ms = 10) =>
    (connection.attempt as unknown as (how: string, ms: number) => Promise<string>)(how, ms).catch(
      (error: Error) => error.message,
    );
  return { lately, call };
}

const nothing = { count: 0, failures: 0, p50Ms: null, p99Ms: null };

test('calls are counted, those that failed apart, and those that say nothing not at all', async () => {
  const { lately, call } = counting();
  expect(lately.look()).toEqual(nothing);

  expect([await call('well'), await call('down'), await call('cut short')]).toEqual([
    'answer',
    'down',
    'cut short',
  ]);

  expect(lately.look()).toMatchObject({ count: 2, failures: 1 });
});

test('of answers it is told how long half and nearly all of them took, not of failures', async () => {
  const { lately, call } = counting();
  for (let made = 1; made <= 98; made++) await call('well', made % 2 ? 20 : 30);
  await call('down', 9_000);
  await call('down', 9_000);

  const usual = lately.look();
  for (let made = 1; made <= 2; made++) await call('well', 4_000);
  const late = lately.look();

  expect(usual.p50Ms).toBeGreaterThanOrEqual(20);
  expect(usual.p50Ms).toBeLessThan(20.3);
  expect(usual.p99Ms).toBeGreaterThanOrEqual(30);
  expect(usual.p99Ms).toBeLessThan(30.5);
  expect(late.p99Ms).toBeGreaterThanOrEqual(4_000);
  expect(late.p99Ms).toBeLessThan(4_050);
});

test('a minute later nothing is left of them, and of what came in between it is', async () => {
  const { lately, call } = counting();
  await call('well');
  await call('down');
  vi.advanceTimersByTime(30_000);
  await call('well');
  expect(lately.look()).toMatchObject({ count: 3, failures: 1 });

  vi.advanceTimersByTime(30_000);
  expect(lately.look()).toMatchObject({ count: 1, failures: 0 });

  vi.advanceTimersByTime(600_000);
  expect(lately.look()).toEqual(nothing);
});

test('an answer that took longer than can be told apart counts as the longest', async () => {
  const { lately, call } = counting();
  await call('well', 7_200_000);

  expect(lately.look()).toMatchObject({ count: 1, failures: 0 });
});
