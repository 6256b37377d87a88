import { isLockConflict, UpstreamError } from '../../errors.ts';
import { classifyAbsence, isSubscriptionMissing } from '../absence.ts';
import type { CallKind } from '../call.ts';
import { ConnectionLost } from '../exchange.ts';
import type { CallVerdict } from './breaker.ts';

export interface RetryPlan {
  readonly afterMs: number;
  /**
   * Whether to open a new HTTP connection: after a kept-alive connection broke, and for the last attempt after any broken
   * connection, since all kept-alive connections may be about to break.
   */
  readonly isFresh: boolean;
}

const initialBackoffMs = 100;
// After 429, 503 and lock conflicts.
const initialBusyBackoffMs = 500;
const maxBackoffMs = 20_000;

/**
 * Plans the next attempt; null if the call must not be retried. `made` counts the attempts so far, `random` is from 0 to 1.
 * Exponential backoff with full jitter, but at least the upstream's `Retry-After`.
 *
 * A timeout after the request was sent is not retried: the call would probably be too slow again and double the load. Lists
 * are requested again with smaller pages instead (business/reading/pages.ts).
 */
export function planRetry(
  kind: CallKind,
  failure: UpstreamError,
  { made, allowed }: { readonly made: number; readonly allowed: number },
  random: number,
): RetryPlan | null {
  const { status, delivery, code } = failure;
  if (made >= allowed || kind === 'poll') return null;
  const isThrottled = status === 429;
  const isNotSent = isConnectionFailure(failure) && delivery === 'notSent';
  const isDisconnected = isConnectionFailure(failure) && code === 'UPSTREAM_UNAVAILABLE';
  const isFirstServerError = status === 500 && delivery === 'unknown' && made === 1;
  // Routes of the real service can be missing for a moment.
  const isRouteMissing =
    code === 'UPSTREAM_NOT_FOUND' &&
    classifyAbsence(failure) === 'unproven' &&
    !isSubscriptionMissing(failure);
  const mayBeRepeated =
    kind === 'read' &&
    (isDisconnected || isBusy(failure) || isLockConflict(failure) || isFirstServerError || isRouteMissing);
  if (!isThrottled && !isNotSent && !mayBeRepeated) return null;
  if (isStale(failure)) return { afterMs: 0, isFresh: true };

  const backoffMs =
    isThrottled || status === 503 || isLockConflict(failure) ? initialBusyBackoffMs : initialBackoffMs;
  const jitteredMs = random * Math.min(backoffMs * 2 ** (made - 1), maxBackoffMs);
  return {
    afterMs: Math.max(jitteredMs, getRetryAfterMs(failure)),
    isFresh: isDisconnected && made + 1 >= allowed,
  };
}

/**
 * How long the caller must send nothing, in milliseconds; null if the upstream does not ask for a pause. It asks with every
 * 429, and with a 502 or 503 that has `Retry-After`, as the real service documents. `retry` is the plan for the next
 * attempt; null without one.
 */
export function getThrottleMs(failure: UpstreamError, retry: RetryPlan | null): number | null {
  const isAsked = failure.status === 429 || (isBusy(failure) && getRetryAfterMs(failure) > 0);
  return isAsked ? (retry?.afterMs ?? (getRetryAfterMs(failure) || initialBusyBackoffMs)) : null;
}

/**
 * Whether the upstream was healthy when a call failed: true if it responded properly, false if it failed, null if the call
 * was not sent or was aborted too early to tell.
 */
export function isHealthy(error: unknown): boolean | null {
  if (!(error instanceof UpstreamError)) return null;
  const { status, code, delivery } = error;
  if (status !== null) return status < 500 || status === 501 || delivery === 'rejected';
  if (code === 'UPSTREAM_BAD_RESPONSE') return true;
  return isConnectionFailure(error) && !isStale(error) ? false : null;
}

/** Returns the verdict on a failure for the circuit breaker. */
export function toVerdict(error: unknown): CallVerdict {
  const isUpstreamHealthy = isHealthy(error);
  if (isUpstreamHealthy === null || !(error instanceof UpstreamError)) return 'unknown';
  const { status } = error;
  // These say nothing about the service: a failed permission check (401, 403), a gateway timeout (504), and a 503 that asks
  // one caller to wait.
  if (status === 401 || status === 403 || status === 504) return 'unknown';
  if (status === 503 && getRetryAfterMs(error) > 0) return 'unknown';
  if (isUpstreamHealthy || (status !== null && !isBusy(error))) return 'answered';
  return error.delivery === 'notSent' ? 'unreachable' : 'failed';
}

const getRetryAfterMs = ({ retryAfterSeconds }: UpstreamError) => (retryAfterSeconds ?? 0) * 1000;

/** Whether a call failed within Tributary, before anything was sent. */
export const isLocalFailure = ({ status, delivery, cause }: UpstreamError): boolean =>
  status === null && delivery === 'notSent' && cause === undefined;

const isBusy = ({ status }: UpstreamError) => status === 502 || status === 503;

/**
 * Whether a kept-alive connection broke before a response. An upstream may close an idle connection while the next request
 * is on its way (RFC 9112, section 9.3.1).
 */
const isStale = ({ cause }: UpstreamError) => cause instanceof ConnectionLost && cause.wasReused;

// Errors raised by Tributary itself have no cause.
const isConnectionFailure = ({ status, cause }: UpstreamError) => status === null && cause !== undefined;
