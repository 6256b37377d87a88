import { expect, test, vi } from 'vitest';
import { createRequestRateLimiter } from '../../../../src/server/load/admission.ts';

const limiter = () => createRequestRateLimiter({ perSecond: 5, shared: null, redisKey: (key) => key });

test('a caller has as many requests at once as it may send in a second, and the next waits for its part of one', () => {
  vi.useFakeTimers();
  const { take } = limiter();

  const waits = Array.from({ length: 6 }, () => take('ann'));
  vi.advanceTimersByTime(200);
  const later = [take('ann'), take('ann')];
  vi.useRealTimers();

  expect(waits).toEqual([0, 0, 0, 0, 0, 200]);
  expect(later).toEqual([0, 200]);
});
