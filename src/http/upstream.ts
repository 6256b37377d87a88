import { UpstreamError, type UpstreamName } from '../errors.ts';
import type { Access } from './auth/access.ts';
import type { UpstreamState } from './call.ts';
import { createUpstreamClient, type UpstreamClient, type UpstreamClientOptions } from './client.ts';
import { type BreakerSnapshot, createBreaker } from './resilience/breaker.ts';
import { type CallStatsSnapshot, createCallStats } from './resilience/call-stats.ts';
import {
  createRateLimiter,
  type RateLimiter,
  type RateLimiterOptions,
  type RateLimitSnapshot,
} from './resilience/rate-limiter.ts';
import { createHttpTransport, type HttpTransportOptions } from './transport.ts';

export interface UpstreamOptions
  extends HttpTransportOptions,
    Omit<RateLimiterOptions, 'onPaced'>,
    Omit<UpstreamClientOptions, 'transport' | 'rateLimiter' | 'breaker' | 'callStats'> {
  /** Failures before the circuit breaker may open. */
  readonly minBreakerFailures: number;
  onBreakerChange(isOpen: boolean): void;
}

/** The state of an upstream, with the rate limit of one caller. */
export interface UpstreamSnapshot {
  readonly breaker: BreakerSnapshot;
  readonly rateLimit: RateLimitSnapshot;
  readonly callStats: CallStatsSnapshot;
}

export interface Upstream {
  readonly client: UpstreamClient;
  readonly rateLimiter: RateLimiter;
  snapshot(access: Access): UpstreamSnapshot;
  getState(): UpstreamState;
}

/** Creates the client of one upstream with its rate limiter, circuit breaker and statistics. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { upstream, minBreakerFailures, onBreakerChange, observer } = options;
  const rateLimiter = createRateLimiter({ ...options, onPaced: () => observer?.onPaced() });
  const breaker = createBreaker({ upstream, minFailures: minBreakerFailures, onChange: onBreakerChange });
  const callStats = createCallStats();
  const client = createUpstreamClient({
    ...options,
    transport: createHttpTransport(options),
    rateLimiter,
    breaker,
    callStats,
    onThrottled(quotaKey, ms) {
      rateLimiter.pause(quotaKey, ms);
      options.onThrottled(quotaKey, ms);
    },
  });
  return {
    client,
    rateLimiter,
    snapshot: (access) => ({
      breaker: breaker.snapshot(),
      rateLimit: rateLimiter.snapshot(access),
      callStats: callStats.snapshot(),
    }),
    getState: () => ({
      ...rateLimiter.getState(),
      isBreakerOpen: breaker.isOpen(),
    }),
  };
}

/** Creates the client of an upstream whose address is not set: every call fails and names the setting. */
export function createUnconfiguredClient(upstream: UpstreamName, setting: string): UpstreamClient {
  const createError = () =>
    new UpstreamError('UPSTREAM_NOT_CONFIGURED', `This deployment has no ${setting}.`, {
      upstream,
      delivery: 'notSent',
    });
  const fail = async () => {
    throw createError();
  };
  return {
    send: fail,
    open: fail,
    recordPartFailure: createError,
    clockOffsetMs: () => 0,
    close: async () => {},
  };
}
