import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UpstreamError } from '../../../../src/errors.ts';
import { createRateLimiter, type RateLimiterOptions } from '../../../../src/http/resilience/rate-limiter.ts';
import { startDeadline } from '../../../../src/runtime/deadline.ts';

beforeEach(() => {
  vi.useFakeTimers();
  // The clock of a process does not start at 0.
  vi.advanceTimersByTime(98_765);
});
afterEach(() => void vi.useRealTimers());

const options: RateLimiterOptions = {
  upstream: 'business',
  maxCalls: 6,
  maxCallsPerCaller: 2,
  quota: null,
  sharedQuota: null,
};

/** A rate limiter, and calls that are noted in `started` when they start or fail, and run until `end`. */
function createTestLimiter(more: Partial<RateLimiterOptions> = {}) {
  const rateLimiter = createRateLimiter({ ...options, ...more });
  // `acquire` returns a function rather than a promise where a call may start at once.
  const enter = async (...call: Parameters<typeof rateLimiter.acquire>) => rateLimiter.acquire(...call);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (quotaKey: string, name: string, ms = 60_000, person = quotaKey) => {
    enter({ quotaKey, person }, startDeadline(ms)).then(
      (end) => {
        started.push(name);
        ends.set(name, end);
      },
      (error: UpstreamError) => void started.push(`${name}: ${error.code} ${error.retryAfterSeconds}`),
    );
  };
  const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { rateLimiter, enter, started, ask, end, settle };
}

test('where all slots are taken, callers take turns, whatever the number of their waiting calls', async () => {
  const { started, ask, end, settle } = createTestLimiter({ maxCalls: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) ask('ann', name);
  ask('ben', 'b1');
  ask('cid', 'c1');
  await settle();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) await end(name);

  expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'a5']);
});

test('many waiting calls of one caller do not delay another with the same quota key', async () => {
  const { started, ask, end, settle } = createTestLimiter();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) ask('layer', name, 60_000, 'ann');
  for (const name of ['b1', 'b2']) ask('layer', name, 60_000, 'ben');
  await settle();
  expect(started).toEqual(['a1', 'a2']);

  await end('a1');
  await end('a2');
  expect(started.slice(2)).toEqual(['a3', 'b1']);
});

test('a waiting call whose deadline expires is dropped without a trace', async () => {
  const { enter, started, ask, settle } = createTestLimiter();
  const left = startDeadline(1_000);
  left.end();
  await expect(enter({ quotaKey: 'ann', person: 'ann' }, left)).rejects.toThrow(UpstreamError);
  for (const name of ['a1', 'a2']) ask('ann', name);
  await settle();

  expect(started).toEqual(['a1', 'a2']);
});

test('a pause stops the calls of that caller only', async () => {
  const { rateLimiter, started, ask, settle } = createTestLimiter();
  rateLimiter.pause('ann', 2_000);
  for (const name of ['a1', 'a2', 'a3']) ask('ann', name);
  ask('ben', 'b1');
  await settle(1_999);
  expect(started).toEqual(['b1']);

  await settle(2);
  expect(started).toEqual(['b1', 'a1', 'a2']);
});

test('a call whose deadline is before the end of a pause fails at once, with the time to wait', async () => {
  const { rateLimiter, started, ask, settle } = createTestLimiter();
  for (const name of ['a1', 'a2', 'a3']) ask('ann', name, 1_500);
  await settle();
  rateLimiter.pause('ann', 2_000);
  await settle();
  ask('ann', 'a4', 1_500);
  ask('ann', 'a5', 3_000);
  await settle();

  expect(started).toEqual(['a1', 'a2', 'a3: UPSTREAM_THROTTLED 2', 'a4: UPSTREAM_THROTTLED 2']);
});

test('a pause is limited to five minutes', async () => {
  const { rateLimiter, started, ask, settle } = createTestLimiter();
  rateLimiter.pause('ann', 86_400_000);
  ask('ann', 'a1', 400_000);
  await settle(300_001);

  expect(started).toEqual(['a1']);
});

test('never exceeds a limit, starts no call during a pause, and forgets none, for random calls and pauses', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('enter' as const), caller: fc.nat(3) }),
    fc.record({ do: fc.constant('end' as const), caller: fc.nat(20) }),
    fc.record({ do: fc.constant('close' as const), caller: fc.nat(3), ms: fc.nat(500) }),
    fc.record({ do: fc.constant('wait' as const), caller: fc.nat(3), ms: fc.nat(200) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const rateLimiter = createRateLimiter({ ...options, maxCalls: 4 });
      const running: { readonly caller: number; end(): void }[] = [];
      const closedUntil = new Map<number, number>();
      let asked = 0;
      let went = 0;
      const faults: string[] = [];
      const check = (caller: number) => {
        if (running.length > 4) faults.push('too many');
        if (running.filter((each) => each.caller === caller).length > 2) faults.push('too many of one');
        if (performance.now() < (closedUntil.get(caller) ?? 0)) faults.push('too early');
      };
      for (const each of steps) {
        if (each.do === 'enter' && asked - went < 10) {
          asked += 1;
          const entered = rateLimiter.acquire(
            { quotaKey: String(each.caller), person: String(each.caller) },
            startDeadline(1_000_000),
          );
          void Promise.resolve(entered).then((end) => {
            went += 1;
            running.push({ caller: each.caller, end });
            check(each.caller);
          });
        }
        if (each.do === 'end') running.splice(each.caller % (running.length || 1), 1)[0]?.end();
        if (each.do === 'close') {
          const until = performance.now() + each.ms;
          closedUntil.set(each.caller, Math.max(until, closedUntil.get(each.caller) ?? 0));
          rateLimiter.pause(String(each.caller), each.ms);
        }
        await vi.advanceTimersByTimeAsync(each.do === 'wait' ? each.ms : 0);
      }
      for (let rounds = 0; rounds < 20; rounds++) {
        for (const { end } of running.splice(0)) end();
        await vi.advanceTimersByTimeAsync(501);
      }
      expect(faults).toEqual([]);
      expect(went).toBe(asked);
      vi.clearAllTimers();
    }),
    { numRuns: 200 },
  );
});
