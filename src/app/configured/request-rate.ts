import type { Config } from '../../config/config.ts';
import { createPrincipalHasher } from '../../http/auth/bearer.ts';
import type { RedisTokenBuckets } from '../../operations/redis-token-buckets.ts';
import { derive, type Reloadable } from '../../runtime/reloadable.ts';
import { createRequestRateLimiter, type RequestRateLimiter } from '../../server/load/request-rate.ts';

/** The limiter of `MAX_REQUESTS_PER_SECOND`; null where it is not set. */
export function createRequestRateIfConfigured(
  settings: Reloadable<Config>,
  secret: string,
  shared: RedisTokenBuckets | null,
): Reloadable<RequestRateLimiter | null> {
  const redisKey = createPrincipalHasher(secret);
  const rate = derive(settings, ({ MAX_REQUESTS_PER_SECOND: perSecond }) => perSecond ?? null);
  return derive(rate, (perSecond) =>
    perSecond === null ? null : createRequestRateLimiter({ perSecond, shared, redisKey }),
  );
}
