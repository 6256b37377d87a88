import { type CallVerdict, type CallWindow, createCallWindow, isFailureVerdict } from './call-window.ts';

/**
 * One circuit breaker. Closed: calls are made. Open: calls fail at once, for ten seconds after too many failures.
 * Half-open: single calls (trials) are made to see whether the upstream has recovered.
 */
export interface Circuit {
  /** How long calls of this caller keep failing at once, in milliseconds; 0 where the next one may be made. */
  waitMs(caller: string): number;
  /** Call when an attempt starts; pass the result to `endAttempt` once. */
  startAttempt(caller: string): AttemptGeneration;
  endAttempt(attempt: AttemptGeneration, caller: string, verdict: CallVerdict): void;
  snapshot(caller: string): CircuitSnapshot;
}

export interface CircuitSnapshot {
  readonly state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
  /** How long calls keep failing at once; null where they are made. */
  readonly openMs: number | null;
}

/**
 * The generation of the circuit in which an attempt started; each change of state starts the next. Negative for trials.
 * Attempts of an earlier generation are ignored.
 */
export type AttemptGeneration = number;

/** The generation of attempts that started before their circuit was created. */
export const firstGeneration: AttemptGeneration = 1;

export interface CircuitOptions {
  /** Whether the calls of the last ten seconds are reason to open. */
  isDown(window: CallWindow): boolean;
  onChange?(isOpen: boolean): void;
}

const openDurationMs = 10_000;
// After a failed trial another caller may try: one caller's failing query must not keep the circuit open for the others.
const nextTrialDelayMs = 1_000;

export function createCircuit({ isDown, onChange }: CircuitOptions): Circuit {
  const window = createCallWindow();
  let generation = firstGeneration;
  let isOpen = false;
  let isTrialRunning = false;
  // On the clock of `performance.now()`.
  let nextTrialAt = 0;
  const lastTrialAt = new Map<string, number>();

  const setOpen = (open: boolean) => {
    isOpen = open;
    isTrialRunning = false;
    generation += 1;
    window.clear();
    lastTrialAt.clear();
    if (open) nextTrialAt = performance.now() + openDurationMs;
    onChange?.(open);
  };

  const waitMs = (caller: string): number => {
    if (!isOpen) return 0;
    const callerMayTryAt = (lastTrialAt.get(caller) ?? Number.NEGATIVE_INFINITY) + openDurationMs;
    return Math.max(0, Math.max(nextTrialAt, callerMayTryAt) - performance.now());
  };

  const endTrial = (caller: string, verdict: CallVerdict) => {
    const now = performance.now();
    isTrialRunning = false;
    if (verdict === 'unknown') {
      nextTrialAt = now;
      lastTrialAt.delete(caller);
    } else if (isFailureVerdict(verdict)) {
      generation += 1;
      nextTrialAt = now + (verdict === 'unreachable' ? openDurationMs : nextTrialDelayMs);
      lastTrialAt.set(caller, now);
    } else {
      setOpen(false);
      window.count(caller, verdict);
    }
  };

  return {
    waitMs,

    startAttempt(caller) {
      if (!isOpen) return generation;
      const now = performance.now();
      isTrialRunning = true;
      // If this trial takes that long, the next one starts without waiting for it.
      nextTrialAt = now + openDurationMs;
      for (const [earlier, at] of lastTrialAt) if (at + openDurationMs <= now) lastTrialAt.delete(earlier);
      lastTrialAt.set(caller, now);
      return -generation;
    },

    endAttempt(attempt, caller, verdict) {
      // Ignore attempts of an earlier generation.
      if (Math.abs(attempt) !== generation) return;
      if (attempt < 0) return endTrial(caller, verdict);
      if (verdict === 'unknown') return;
      window.count(caller, verdict);
      if (isFailureVerdict(verdict) && isDown(window)) setOpen(true);
    },

    snapshot(caller) {
      if (!isOpen) return { state: 'CLOSED', openMs: null };
      const openMs = waitMs(caller);
      return isTrialRunning || openMs === 0
        ? { state: 'HALF_OPEN', openMs: null }
        : { state: 'OPEN', openMs };
    },
  };
}
