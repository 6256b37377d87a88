import { UpstreamError, type UpstreamName } from '../../errors.ts';

/** What the outcome of an attempt says about the upstream. */
export type CallVerdict =
  /** A response with a status other than 401, 403, 502, 503 or 504, or an invalid response. */
  | 'answered'
  /** 502, 503 without `Retry-After`, a broken connection, or a timeout. A single heavy request may cause it. */
  | 'failed'
  /** No connection. A request cannot cause it. */
  | 'unreachable'
  /** Nothing: the attempt was aborted or not sent, or was answered with 401, 403, 504, or 503 with `Retry-After`. */
  | 'unknown';

/**
 * The circuit breaker of one upstream. Closed: calls are made. Open: calls fail at once. Half-open: single calls (trials)
 * are made to see whether the upstream has recovered.
 */
export interface Breaker {
  /**
   * Call before an attempt; throws an `UpstreamError` if the breaker is open. Call the returned function once with the
   * verdict when the attempt has ended.
   */
  startCall(): (verdict: CallVerdict) => void;
  snapshot(): BreakerSnapshot;
  isOpen(): boolean;
}

export interface BreakerSnapshot {
  readonly state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
  /** Time until the next trial, in milliseconds; null unless the state is OPEN. */
  readonly openMs: number | null;
}

export interface BreakerOptions {
  readonly upstream: UpstreamName;
  /** Failures within ten seconds before the breaker opens. */
  readonly minFailures: number;
  onChange(isOpen: boolean): void;
}

const windowSeconds = 10;
// An upstream that answers no call for this long is considered down: with several callers, some call succeeds more often.
const silenceMs = 3_000;
const trialDelayMs = 1_000;

/**
 * Opens after `minFailures` within ten seconds if half of the calls found no connection, or if no call has been
 * answered for three seconds. So the failing requests of one caller do not open it while another caller is answered.
 */
export function createBreaker({ upstream, minFailures, onChange }: BreakerOptions): Breaker {
  let seconds: SecondCounts[] = [];
  // Both on the clock of `performance.now()`.
  let answeredAt = Number.NEGATIVE_INFINITY;
  let nextTrialAt = 0;
  // Incremented when the breaker opens or closes. Attempts of an earlier generation are ignored.
  let generation = 0;
  let isOpen = false;

  const setOpen = (open: boolean) => {
    isOpen = open;
    generation += 1;
    seconds = [];
    nextTrialAt = performance.now() + trialDelayMs;
    onChange(open);
  };

  const count = (verdict: Exclude<CallVerdict, 'unknown'>) => {
    const at = Math.floor(performance.now() / 1_000);
    let second = seconds.at(-1);
    if (second?.at !== at) {
      second = { at, answered: 0, failed: 0, unreachable: 0 };
      seconds = [...seconds.filter((earlier) => earlier.at > at - windowSeconds), second];
    }
    second[verdict] += 1;
    if (verdict === 'answered') answeredAt = performance.now();
  };
  const isDown = (): boolean => {
    const sum = (verdict: keyof SecondCounts) =>
      seconds.reduce((total, counts) => total + counts[verdict], 0);
    const [answered, failed, unreachable] = [sum('answered'), sum('failed'), sum('unreachable')];
    const failures = failed + unreachable;
    const isSilent = performance.now() - answeredAt >= silenceMs;
    return failures >= minFailures && (isSilent || unreachable >= (answered + failures) / 2);
  };

  const msUntilTrial = (): number => (isOpen ? Math.max(0, nextTrialAt - performance.now()) : 0);

  return {
    startCall() {
      const isTrial = isOpen;
      if (isTrial) {
        const openMs = msUntilTrial();
        if (openMs > 0) throw breakerOpenError(upstream, openMs);
        // The next trial does not wait for this one.
        nextTrialAt = performance.now() + trialDelayMs;
      }
      const startedIn = generation;
      return (verdict) => {
        if (startedIn !== generation || verdict === 'unknown') return;
        count(verdict);
        if (isTrial && verdict === 'answered') setOpen(false);
        else if (!isTrial && verdict !== 'answered' && isDown()) setOpen(true);
      };
    },

    snapshot() {
      if (!isOpen) return { state: 'CLOSED', openMs: null };
      const openMs = msUntilTrial();
      return openMs === 0 ? { state: 'HALF_OPEN', openMs: null } : { state: 'OPEN', openMs };
    },

    isOpen: () => isOpen,
  };
}

interface SecondCounts {
  readonly at: number;
  answered: number;
  failed: number;
  unreachable: number;
}

const breakerOpenError = (upstream: UpstreamName, ms: number) =>
  new UpstreamError(
    'UPSTREAM_UNAVAILABLE',
    'The circuit breaker is open: the upstream has failed too often. Try again later.',
    { upstream, delivery: 'notSent', retryAfterSeconds: Math.ceil(ms / 1_000) },
  );
