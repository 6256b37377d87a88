import { UpstreamError } from '../errors.ts';
import type { Verdict } from './call-window.ts';

/**
 * What a call is to its upstream. A read may be made twice; a write may not, unless nothing came of it; who polls looks
 * again anyway.
 */
export type CallKind = 'read' | 'write' | 'poll';

export interface Retry {
  /** At least so long after the failure. */
  readonly afterMs: number;
  /** What it takes from the budget. */
  readonly cost: number;
}

const firstMs = 100;
// What is overloaded is given more time.
const firstMsWhenBusy = 500;
const longestMs = 20_000;
const cost = 5;

/**
 * Whether, and when, to try again after so many attempts of those allowed; null is not at all. `random` is from 0 to 1: pauses are drawn
 * from all up to the longest ("full jitter"), which doubles every time, and what the upstream asks for is the least.
 *
 * A time-out is not tried again: what was too slow once is so again, and the load that makes it so would double.
 */
export function retryOf(
  kind: CallKind,
  failure: UpstreamError,
  { made, allowed }: { readonly made: number; readonly allowed: number },
  random: number,
): Retry | null {
  const { status, fate, code } = failure;
  if (made >= allowed || kind === 'poll') return null;
  const isThrottled = status === 429;
  const isUnsent = isOfConnection(failure) && fate === 'unsent';
  const isCut = isOfConnection(failure) && code === 'UPSTREAM_UNAVAILABLE';
  const isBusy = status === 502 || status === 503;
  const isBroken = status === 500 && made === 1;
  const mayBeRepeated = kind === 'read' && (isCut || isBusy || isBroken);
  if (!isThrottled && !isUnsent && !mayBeRepeated) return null;

  const first = isThrottled || status === 503 ? firstMsWhenBusy : firstMs;
  const drawn = random * Math.min(first * 2 ** (made - 1), longestMs);
  return {
    afterMs: Math.max(drawn, askedMs(failure)),
    // A throttled caller waits at the gate, which nobody passes too often.
    cost: isThrottled ? 0 : cost,
  };
}

/** How long a throttled caller is to send nothing where what was throttled is not tried again, in milliseconds. */
export const pauseOf = (failure: UpstreamError): number => askedMs(failure) || firstMsWhenBusy;

/**
 * What a failure says of the upstream: false where it is in trouble, true where it did answer, null where nobody knows,
 * as the call was cut short or never sent.
 */
export function isWell(error: unknown): boolean | null {
  if (!(error instanceof UpstreamError)) return null;
  const { status, code } = error;
  if (status !== null) return status < 500 || status === 501;
  if (code === 'UPSTREAM_BAD_RESPONSE') return true;
  return isOfConnection(error) ? false : null;
}

/** The same for a circuit breaker, which also asks what can be the fault of one caller. */
export function verdictOf(error: unknown): Verdict {
  const well = isWell(error);
  if (well === null || !(error instanceof UpstreamError)) return 'unknown';
  // A refused token does not show whether what is behind the check is well.
  if (well) return error.status === 401 || error.status === 403 ? 'unknown' : 'answered';
  return error.fate === 'unsent' ? 'unreachable' : 'failed';
}

const askedMs = ({ retryAfterSeconds }: UpstreamError) => (retryAfterSeconds ?? 0) * 1000;

/** Whether a call failed on this side, before anything of it was sent. */
export const isHeldBack = ({ status, fate, cause }: UpstreamError): boolean =>
  status === null && fate === 'unsent' && cause === undefined;

// What fails on this side of the wire has no cause.
const isOfConnection = ({ status, cause }: UpstreamError) => status === null && cause !== undefined;
