import { setTimeout as sleep } from 'node:timers/promises';
import type { UpstreamError } from '../../errors.ts';

/** The time in which the unsettled writes of one mutation are settled. */
export interface RetryWindow {
  /** Milliseconds. Zero or negative once the window is over. The first call starts the window. */
  remainingMs(): number;
}

const retryWindowMs = 60_000;

export function createRetryWindow(): RetryWindow {
  let end: number | null = null;
  return {
    remainingMs() {
      end ??= performance.now() + retryWindowMs;
      return end - performance.now();
    },
  };
}

/** Growing random pauses between the attempts to settle one write. */
export interface Backoff {
  /** Waits after a failure, at least for its `Retry-After`; false, at once, if no pause or too little time is left. */
  pause(failure: UpstreamError): Promise<boolean>;
}

const maxPauses = 10;
const firstPauseMs = 50;
const longestPauseMs = 5_000;

/** The backoff of one write: at most ten pauses, within the retry window. */
export function createBackoff(retryWindow: RetryWindow): Backoff {
  let pauses = 0;

  return {
    async pause({ retryAfterSeconds }) {
      const longest = Math.min(firstPauseMs * 2 ** pauses, longestPauseMs);
      const ms = Math.max(Math.random() * longest, (retryAfterSeconds ?? 0) * 1_000);
      pauses += 1;
      if (pauses > maxPauses || ms > retryWindow.remainingMs()) return false;
      await sleep(ms);
      return true;
    },
  };
}
