import { isLockConflict, UpstreamError } from '../../errors.ts';
import { classifyAbsence, isSubscriptionMissing } from '../absence.ts';
import type { CallKind } from '../call.ts';
import { ConnectionLost } from '../exchange.ts';
import type { CallVerdict } from './breaker.ts';

export interface RetryPlan {
  /** The shortest time between the failure and the next attempt. */
  readonly afterMs: number;
  /**
   * Whether to open a new HTTP connection. The attempt after a kept-alive connection broke does, and the last after any
   * broken connection: all kept-alive connections may be about to break.
   */
  readonly isFresh: boolean;
}

const initialBackoffMs = 100;
// After 429, 503 and lock conflicts.
const initialBusyBackoffMs = 500;
const maxBackoffMs = 20_000;

/**
 * Plans the next attempt; null where the call must not be retried. `made` counts the attempts so far, `random` is from 0 to
 * 1. Exponential backoff with full jitter; the upstream's `Retry-After` is the least.
 *
 * A timeout is not retried: a call that was too slow once would be again, and would double the load. Lists are requested
 * again with smaller pages instead (business/reading/pages.ts).
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
  const isCut = isConnectionFailure(failure) && code === 'UPSTREAM_UNAVAILABLE';
  const isBroken = status === 500 && delivery === 'unknown' && made === 1;
  // Routes of the real service can be missing for a moment.
  const isMissing =
    code === 'UPSTREAM_NOT_FOUND' &&
    classifyAbsence(failure) === 'unproven' &&
    !isSubscriptionMissing(failure);
  const mayBeRepeated =
    kind === 'read' && (isCut || isBusy(failure) || isLockConflict(failure) || isBroken || isMissing);
  if (!isThrottled && !isNotSent && !mayBeRepeated) return null;
  // The other connections may be about to break, too.
  if (isStale(failure)) return { afterMs: 0, isFresh: true };

  const backoffMs =
    isThrottled || status === 503 || isLockConflict(failure) ? initialBusyBackoffMs : initialBackoffMs;
  const jitteredMs = random * Math.min(backoffMs * 2 ** (made - 1), maxBackoffMs);
  return {
    afterMs: Math.max(jitteredMs, getRetryAfterMs(failure)),
    isFresh: isCut && made + 1 >= allowed,
  };
}

/**
 * How long the caller must send nothing, in milliseconds; null where the upstream does not ask for that. It does with
 * every 429, and with a `Retry-After` of a 502 or 503, as the real service documents. `retry` is the plan for the next
 * attempt; null where there is none.
 */
export function getThrottleMs(failure: UpstreamError, retry: RetryPlan | null): number | null {
  const isAsked = failure.status === 429 || (isBusy(failure) && getRetryAfterMs(failure) > 0);
  return isAsked ? (retry?.afterMs ?? (getRetryAfterMs(failure) || initialBusyBackoffMs)) : null;
}

/**
 * What a failure says of the upstream: true where it responded properly, false where it failed, null where the call was not
 * sent or was aborted too early to say.
 */
export function isHealthy(error: unknown): boolean | null {
  if (!(error instanceof UpstreamError)) return null;
  const { status, code, delivery } = error;
  if (status !== null) return status < 500 || status === 501 || delivery === 'rejected';
  if (code === 'UPSTREAM_BAD_RESPONSE') return true;
  return isConnectionFailure(error) && !isStale(error) ? false : null;
}

/** What a failure says to the circuit breaker. */
export function toVerdict(error: unknown): CallVerdict {
  const isUpstreamHealthy = isHealthy(error);
  if (isUpstreamHealthy === null || !(error instanceof UpstreamError)) return 'unknown';
  const { status } = error;
  // A check of permissions says nothing about the service behind it, nor does a gateway that waited too long for it (504),
  // nor a 503 that asks one caller to wait.
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
 * Whether a kept-alive connection broke before a response. An upstream may close one at any time, and the next request may
 * already be on its way then (RFC 9112, section 9.3.1).
 */
const isStale = ({ cause }: UpstreamError) => cause instanceof ConnectionLost && cause.wasReused;

// Errors raised by Tributary itself have no cause.
const isConnectionFailure = ({ status, cause }: UpstreamError) => status === null && cause !== undefined;
