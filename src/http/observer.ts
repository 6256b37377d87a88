import type { ErrorCode } from '../errors.ts';
import type { AttemptResult, UpstreamCall } from './call.ts';
import type { RateLimiterState } from './resilience/rate-limiter.ts';

/** State of one upstream, over all callers. */
export interface UpstreamState extends RateLimiterState {
  /** Whether the circuit breaker stops calls. */
  readonly isBreakerOpen: boolean;
  /** What is left of the retry budget. */
  readonly retryBudget: number;
}

/** Observes all calls to one upstream. */
export interface UpstreamObserver {
  /** Passes the function that reads the upstream's state. */
  registerState(getState: () => UpstreamState): void;
  onAttemptEnd(call: UpstreamCall, result: AttemptResult, ms: number): void;
  /** A part of a batch failed with this status, inside a 2xx response. */
  onPartRejected(status: number): void;
  /** The rate limiter let a call start, after it had waited `ms`. */
  onTurn(ms: number): void;
  /** A call has to wait for the caller's quota. */
  onPaced(): void;
  onRetry(call: UpstreamCall): void;
  /** A call failed before anything was sent. */
  onLocalFailure(code: ErrorCode): void;
  /** The upstream asked a caller to wait. */
  onThrottled(): void;
  /** The circuit breaker opened. */
  onBreakerOpen(): void;
}
