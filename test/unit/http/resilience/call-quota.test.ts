import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { UpstreamError } from '../../../../src/errors.ts';
import type { CallQuota, SharedCallQuota } from '../../../../src/http/resilience/call-quota.ts';
import { createRateLimiter } from '../../../../src/http/resilience/rate-limiter.ts';
import { startDeadline } from '../../../../src/runtime/deadline.ts';

beforeEach(() => {
  vi.useFakeTimers();
  // The clock of a process does not start at 0.
  vi.advanceTimersByTime(98_765);
});
afterEach(() => void vi.useRealTimers());

/** A rate limiter with a quota, whose calls end at once; `started` has the time of each. */
function createPacedLimiter(
  quota: CallQuota,
  shared: SharedCallQuota | null = null,
  startedAt: number[] = [],
) {
  const onPaced = vi.fn();
  const limiter = createRateLimiter({
    upstream: 'business',
    maxCalls: 100,
    maxCallsPerCaller: 5,
    quota,
    sharedQuota: shared,
    onPaced,
  });
  const failures: (number | null)[] = [];
  const call = async (caller = 'ann', ms = 600_000) => {
    const deadline = startDeadline(ms);
    try {
      const release = await limiter.acquire({ quotaKey: caller, person: caller }, deadline);
      startedAt.push(performance.now());
      release();
    } catch (error) {
      failures.push((error as UpstreamError).retryAfterSeconds);
    } finally {
      deadline.end();
    }
  };
  return { limiter, call, startedAt, failures, onPaced };
}

/** The most calls within any window of this length. */
const mostWithin = (seconds: number, at: readonly number[]) =>
  Math.max(
    0,
    ...at.map((from) => at.filter((time) => time >= from && time <= from + seconds * 1_000).length),
  );

test('a quarter of the quota starts at once, and what follows is spread over the window', async () => {
  const { call, startedAt, onPaced } = createPacedLimiter({ calls: 20, seconds: 2 });
  for (let index = 0; index < 30; index++) void call();
  await vi.advanceTimersByTimeAsync(0);
  expect([startedAt.length, onPaced.mock.calls.length]).toEqual([5, 25]);

  await vi.advanceTimersByTimeAsync(2_000);
  expect(startedAt).toHaveLength(5 + 14 - 1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(startedAt).toHaveLength(30);
  expect(mostWithin(2, startedAt)).toBeLessThanOrEqual(20);
});

test('no window exceeds the quota, and every call starts, however calls arrive', async () => {
  const arrivals = fc.array(fc.record({ count: fc.integer({ min: 1, max: 12 }), pauseMs: fc.nat(3_000) }), {
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 4, max: 60 }),
      fc.integer({ min: 1, max: 4 }),
      arrivals,
      async (calls, seconds, steps) => {
        const { call, startedAt } = createPacedLimiter({ calls, seconds });
        for (const { count, pauseMs } of steps) {
          for (let index = 0; index < count; index++) void call();
          await vi.advanceTimersByTimeAsync(pauseMs);
        }
        await vi.advanceTimersByTimeAsync(300_000);
        expect(startedAt).toHaveLength(steps.reduce((sum, { count }) => sum + count, 0));
        expect(mostWithin(seconds, startedAt)).toBeLessThanOrEqual(calls);
      },
    ),
    { numRuns: 100 },
  );
});

test('a call that would start after its deadline fails at once, with the time to wait', async () => {
  const { limiter, call, failures, startedAt } = createPacedLimiter({ calls: 20, seconds: 60 });
  for (let index = 0; index < 5; index++) void call();
  void call('ann', 10_000);
  void call('ann', 8_000);
  await vi.advanceTimersByTimeAsync(0);
  expect(failures).toEqual([9]);
  expect(limiter.getState()).toMatchObject({ waiting: 1, pacedCallers: 1, leastQuota: 0 });

  await vi.advanceTimersByTimeAsync(5_000);
  expect(startedAt).toHaveLength(6);
  expect(limiter.getState()).toMatchObject({ waiting: 0, pacedCallers: 0 });
});

test('an attempt that does not wait is counted', async () => {
  const { limiter, call, startedAt } = createPacedLimiter({ calls: 20, seconds: 60 });
  for (let index = 0; index < 3; index++) limiter.countAttempt('ann');
  for (let index = 0; index < 3; index++) void call();
  await vi.advanceTimersByTimeAsync(0);

  expect(startedAt).toHaveLength(2);
  expect(limiter.snapshot({ quotaKey: 'ann', person: 'ann' }).quotaRemaining).toBe(0);
});

/** Buckets as Redis keeps them, which respond after a millisecond; null while it is down. */
function createBuckets() {
  const fullAt = new Map<string, number>();
  const state = { isDown: false, commands: 0 };
  const buckets: SharedCallQuota = {
    async count(key, tokenMs, used) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (state.isDown) return null;
      state.commands += 1;
      const now = performance.now();
      const at = Math.max(fullAt.get(key) ?? 0, now) + used * tokenMs;
      fullAt.set(key, at);
      return at - now;
    },
  };
  return { buckets, state };
}

test('replicas exceed no window together, and start every call', async () => {
  const { buckets } = createBuckets();
  const quota = { calls: 400, seconds: 20 };
  const startedAt: number[] = [];
  const replicas = [1, 2, 3].map(() => createPacedLimiter(quota, buckets, startedAt));
  for (let index = 0; index < 200; index++) for (const { call } of replicas) void call();
  await vi.advanceTimersByTimeAsync(60_000);

  expect(startedAt).toHaveLength(600);
  expect(mostWithin(20, startedAt)).toBeLessThanOrEqual(400);
});

test('while replicas are not connected, each paces alone, and no call waits for them', async () => {
  const { buckets, state } = createBuckets();
  const { call, startedAt } = createPacedLimiter({ calls: 20, seconds: 2 }, buckets);
  state.isDown = true;
  for (let index = 0; index < 30; index++) void call();
  await vi.advanceTimersByTimeAsync(2);
  expect(startedAt).toHaveLength(5);

  await vi.advanceTimersByTimeAsync(4_000);
  expect(startedAt).toHaveLength(30);
  expect(mostWithin(2, startedAt)).toBeLessThanOrEqual(20);
});
