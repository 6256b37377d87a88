import { LRUCache } from 'lru-cache';
import type { RedisBuckets } from '../operations/redis-buckets.ts';

/** A token bucket for each caller: it holds as many requests as may come in a second, and is refilled all the time. */
export interface RequestRate {
  /** Takes a token. How many milliseconds there is none; 0 where one was taken. */
  take(callerKey: string): number | Promise<number>;
  close(): void;
}

export interface RequestRateOptions {
  readonly perSecond: number;
  /** The buckets that all replicas share; null for a replica by itself. */
  readonly shared: RedisBuckets | null;
  /** What stands for a caller in Redis: the same on all replicas, and it names nobody. */
  nameOf(callerKey: string): string;
}

const maxCallers = 10_000;

/**
 * Each replica looks at a bucket of its own first: whom that refuses, no other is asked about. While Redis does not
 * answer it alone counts, so that a caller has its rate at each replica.
 */
export function createRequestRate({ perSecond, shared, nameOf }: RequestRateOptions): RequestRate {
  const tokenMs = 1_000 / perSecond;
  // The generic cell rate algorithm: of a bucket only the instant is kept when it is full again.
  const fullAt = new LRUCache<string, number>({ max: maxCallers });

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
      return shared.take(nameOf(callerKey), tokenMs).then((ms) => ms ?? 0);
    },
    close: () => shared?.close(),
  };
}
