import { type CallWindow, createCallWindow, isFailure, type Verdict } from './call-window.ts';

/**
 * One circuit breaker: closed while calls are made, open for ten seconds after too many failures, then half-open: single
 * calls are made to see whether the upstream is back.
 */
export interface Circuit {
  /** For how long calls of this caller fail at once; 0 where the next one may be made. */
  waitMs(caller: string): number;
  /** To be called when a call is made. What is returned is passed to `end`, once. */
  begin(caller: string): Attempt;
  end(attempt: Attempt, caller: string, verdict: Verdict): void;
  look(caller: string): CircuitLook;
}

export interface CircuitLook {
  readonly state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
  /** For how long calls fail at once; null where they are made. */
  readonly openMs: number | null;
}

/** Which generation of the circuit a call was begun in: one of an earlier generation is ignored. Trials are negative. */
export type Attempt = number;

/** Of a call that was begun before there was a circuit breaker for it. */
export const firstAttempt: Attempt = 1;

export interface CircuitOptions {
  /** Whether the failures of the last ten seconds are enough to open. */
  isDown(window: CallWindow): boolean;
  onChange?(isOpen: boolean): void;
}

const pauseMs = 10_000;
// One caller's failing query must not keep the circuit open for others: after it, somebody else may try.
const nextCallerMs = 1_000;

export function createCircuit({ isDown, onChange }: CircuitOptions): Circuit {
  const window = createCallWindow();
  let generation = firstAttempt;
  let isOpen = false;
  let isTrying = false;
  // On the clock of `performance.now()`.
  let nextTrialAt = 0;
  const lastTrials = new Map<string, number>();

  const change = (open: boolean) => {
    isOpen = open;
    isTrying = false;
    generation += 1;
    window.clear();
    lastTrials.clear();
    if (open) nextTrialAt = performance.now() + pauseMs;
    onChange?.(open);
  };

  const waitMs = (caller: string): number => {
    if (!isOpen) return 0;
    const ownAt = (lastTrials.get(caller) ?? Number.NEGATIVE_INFINITY) + pauseMs;
    return Math.max(0, Math.max(nextTrialAt, ownAt) - performance.now());
  };

  const endTrial = (caller: string, verdict: Verdict) => {
    const now = performance.now();
    isTrying = false;
    if (verdict === 'unknown') {
      nextTrialAt = now;
      lastTrials.delete(caller);
    } else if (isFailure(verdict)) {
      generation += 1;
      nextTrialAt = now + (verdict === 'unreachable' ? pauseMs : nextCallerMs);
      lastTrials.set(caller, now);
    } else {
      change(false);
      window.count(caller, verdict);
    }
  };

  return {
    waitMs,

    begin(caller) {
      if (!isOpen) return generation;
      const now = performance.now();
      isTrying = true;
      // Another call is made where this one takes as long.
      nextTrialAt = now + pauseMs;
      for (const [earlier, at] of lastTrials) if (at + pauseMs <= now) lastTrials.delete(earlier);
      lastTrials.set(caller, now);
      return -generation;
    },

    end(attempt, caller, verdict) {
      if (Math.abs(attempt) !== generation) return;
      if (attempt < 0) return endTrial(caller, verdict);
      if (verdict === 'unknown') return;
      window.count(caller, verdict);
      if (isFailure(verdict) && isDown(window)) change(true);
    },

    look(caller) {
      if (!isOpen) return { state: 'CLOSED', openMs: null };
      const openMs = waitMs(caller);
      return isTrying || openMs === 0 ? { state: 'HALF_OPEN', openMs: null } : { state: 'OPEN', openMs };
    },
  };
}
