import { expect, test } from 'vitest';
import { createRateLimiter } from '../../../../src/http/resilience/rate-limiter.ts';
import { startDeadline } from '../../../../src/runtime/deadline.ts';

/** In which order calls start, each after the one before it has ended. `callers` have as many calls each. */
async function startOrder(callers: readonly { quotaKey: string; person: string }[], count: number) {
  const limiter = createRateLimiter({
    upstream: 'business',
    maxCalls: 1,
    maxCallsPerCaller: 1,
    quota: null,
    sharedQuota: null,
  });
  const started: string[] = [];
  const call = async (keys: { quotaKey: string; person: string }) => {
    const deadline = startDeadline(10_000);
    const release = await limiter.acquire(keys, deadline);
    deadline.end();
    started.push(keys.person);
    await new Promise(setImmediate);
    release();
  };
  // All calls of the first caller wait before the first of the next one comes.
  await Promise.all(callers.flatMap((keys) => Array.from({ length: count }, () => call(keys))));
  return started.join(' ');
}

test('callers that wait for an upstream take turns', async () => {
  const callers = ['ann', 'ben', 'cid'].map((key) => ({ quotaKey: key, person: key }));

  // The first call had no others to wait for.
  expect(await startOrder(callers, 3)).toBe('ann ann ben cid ann ben cid ben cid');
});

test('callers that the upstream counts as one take turns', async () => {
  const callers = ['ann', 'ben'].map((key) => ({ quotaKey: 'all', person: key }));

  expect(await startOrder(callers, 3)).toBe('ann ann ben ann ben ben');
});
