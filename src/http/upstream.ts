import { UpstreamError, type UpstreamName } from '../errors.ts';
import type { Access } from './auth/access.ts';
import type { UpstreamObserver, UpstreamState } from './call.ts';
import { createUpstreamClient, type UpstreamClient } from './client.ts';
import { createHttpTransport } from './connection.ts';
import type { ErrorRule } from './errors.ts';
import { type BreakerSnapshot, createBreaker } from './resilience/breaker.ts';
import {
  type CallQuota,
  createQuotaAccounts,
  type SharedCallQuota,
  toTokenBucket,
} from './resilience/call-quota.ts';
import { type CallStatsSnapshot, createCallStats } from './resilience/call-stats.ts';
import {
  type CallerKeys,
  createRateLimiter,
  type RateLimiter,
  type RateLimitSnapshot,
} from './resilience/rate-limiter.ts';
import { createRetryBudget } from './resilience/retry.ts';
import type { WireOptions } from './wire/connector.ts';

export interface UpstreamOptions {
  readonly upstream: UpstreamName;
  /** Base address; its path precedes the path of every call. */
  readonly url: string;
  /** Attempts per call, the first included. */
  readonly maxAttempts: number;
  readonly readTimeoutMs: number;
  readonly writeTimeoutMs: number;
  /** Of a compressed response: after decompression. */
  readonly maxResponseBytes: number;
  readonly wire: WireOptions;
  /** The header that carries the id of the request to the upstream. */
  readonly clientRequestIdHeader: string;
  /** Removed from every text of the upstream, like the token of the call. */
  readonly secrets: readonly string[];
  readonly errorRules: readonly ErrorRule[];
  /** HTTP connections, and so concurrent calls, in all. */
  readonly maxConnections: number;
  /** How long an idle HTTP connection is kept for reuse. */
  readonly keepAliveMs: number;
  readonly maxCallsPerCaller: number;
  readonly maxWaitingPerCaller: number;
  /** Calls that the upstream accepts of one caller; null where that is not known. */
  readonly quota: CallQuota | null;
  /** Where replicas count calls towards the quota together; null for a single replica. */
  readonly sharedQuota: SharedCallQuota | null;
  /** Failures before the circuit breaker may open. */
  readonly minBreakerFailures: number;
  /** The upstream asked a caller to send nothing for `ms`. */
  onThrottled(rateLimitKey: string, ms: number): void;
  /** The circuit breaker opened or closed. */
  onBreakerChange(isOpen: boolean): void;
  readonly observer?: UpstreamObserver | undefined;
  /** From 0 to 1. */
  random(): number;
}

export type UpstreamCaller = CallerKeys & Pick<Access, 'principal'>;

/** State of an upstream, and what one caller uses of it. */
export interface UpstreamSnapshot {
  readonly breaker: BreakerSnapshot;
  readonly rateLimit: RateLimitSnapshot;
  readonly callStats: CallStatsSnapshot;
}

const maxConnectTimeoutMs = 10_000;

export interface Upstream {
  readonly client: UpstreamClient;
  readonly rateLimiter: RateLimiter;
  snapshot(caller: UpstreamCaller): UpstreamSnapshot;
  getState(): UpstreamState;
}

/** Creates the client of one upstream with its rate limiter, circuit breaker, retry budget and statistics. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { upstream, readTimeoutMs, onBreakerChange, quota, observer } = options;
  const rateLimiter = createRateLimiter({
    ...options,
    maxCalls: options.maxConnections,
    openQuota: quota && createQuotaAccounts(quota, options.sharedQuota),
    maxBurst: quota && toTokenBucket(quota).capacity,
    onPaced: () => observer?.onPaced(),
  });
  const breaker = createBreaker({
    upstream,
    minFailures: options.minBreakerFailures,
    onChange: onBreakerChange,
  });
  const retryBudget = createRetryBudget();
  const callStats = createCallStats();
  const client = createUpstreamClient({
    ...options,
    transport: createHttpTransport({
      ...options,
      connectTimeoutMs: Math.min(readTimeoutMs, maxConnectTimeoutMs),
      slowMs: Math.min(readTimeoutMs / 2, maxConnectTimeoutMs),
    }),
    rateLimiter,
    breaker,
    callStats,
    retryBudget,
    onThrottled(rateLimitKey, ms) {
      rateLimiter.pause(rateLimitKey, ms);
      options.onThrottled(rateLimitKey, ms);
    },
  });
  return {
    client,
    rateLimiter,
    snapshot: (caller) => ({
      breaker: breaker.snapshot(caller.principal),
      rateLimit: rateLimiter.snapshot(caller),
      callStats: callStats.snapshot(),
    }),
    getState: () => ({
      ...rateLimiter.getState(),
      isBreakerOpen: breaker.isOpen(),
      retryBudget: retryBudget.getRemaining(),
    }),
  };
}

/** The client of an upstream whose address is not set: every call fails and names the setting. */
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
