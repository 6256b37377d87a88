import { LRUCache } from 'lru-cache';
import type { RedisTokenBuckets } from '../../operations/redis-token-buckets.ts';

/** Token bucket for each caller, holding one second's worth of requests. */
export interface RequestRateLimiter {
  /** Takes a token. Returns 0, or the milliseconds until one is available. */
  take(callerKey: string): number | Promise<number>;
}

export interface RequestRateLimits {
  readonly perSecond: number;
  /** Buckets shared by all replicas; null without Redis. */
  readonly shared: RedisTokenBuckets | null;
  /** Maps a caller key to its Redis key, which must be equal on all replicas and not reveal the caller. */
  redisKey(callerKey: string): string;
}

const maxBuckets = 10_000;

/**
 * Each replica checks its own bucket first, so that Redis is not asked about requests that it rejects anyway.
 * Without a response from Redis, only the local bucket counts.
 */
export function createRequestRateLimiter({
  perSecond,
  shared,
  redisKey,
}: RequestRateLimits): RequestRateLimiter {
  const tokenMs = 1_000 / perSecond;
  // Generic cell rate algorithm: a bucket is stored as the instant at which it will be full.
  const fullAt = new LRUCache<string, number>({ max: maxBuckets });

  const takeOwn = (callerKey: string): number => {
    const now = performance.now();
    const at = Math.max(fullAt.get(callerKey) ?? now, now);
    const waitMs = at + tokenMs - (now + 1_000);
    if (waitMs > 0) return waitMs;
    fullAt.set(callerKey, at + tokenMs);
    return 0;
  };

  return {
    take(callerKey) {
      const waitMs = takeOwn(callerKey);
      if (waitMs > 0 || shared === null) return waitMs;
      return shared.take(redisKey(callerKey), tokenMs).then((ms) => ms ?? 0);
    },
  };
}
