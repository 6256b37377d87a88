import type { Config } from '../../config/config.ts';
import { createPrincipalHasher } from '../../http/auth/bearer.ts';
import type { RedisTokenBuckets } from '../../operations/redis-token-buckets.ts';
import { createRequestRateLimiter, type RequestRateLimiter } from '../../server/load/request-rate.ts';

/** The limiter of `MAX_REQUESTS_PER_SECOND`; null where it is not set. */
export function createRequestRateIfConfigured(
  { MAX_REQUESTS_PER_SECOND: perSecond }: Config,
  secret: string,
  shared: RedisTokenBuckets | null,
): RequestRateLimiter | null {
  return perSecond === undefined
    ? null
    : createRequestRateLimiter({ perSecond, shared, redisKey: createPrincipalHasher(secret) });
}
