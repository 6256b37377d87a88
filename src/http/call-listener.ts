import type { UpstreamName } from '../errors.ts';

/** Observes the upstream calls that one request waits for, including those it shares with other requests. */
export interface CallListener {
  /** A call starts; retries and pauses are part of it. */
  onCallStart(upstream: UpstreamName): void;
  /** Nothing of the call is sent or received for this request: it waits for the rate limiter, its next attempt, or another request. */
  onCallPause(): void;
  onCallResume(): void;
  onCallEnd(upstream: UpstreamName): void;
}
