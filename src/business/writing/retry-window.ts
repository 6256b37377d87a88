import { setTimeout as sleep } from 'node:timers/promises';
import type { UpstreamError } from '../../errors.ts';

/** The time limit for retries and reads that settle the writes of one mutation. */
export interface RetryWindow {
  /** Milliseconds left; zero or negative after the end of the window. The first call starts the window. */
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

const maxPauses = 10;
const firstPauseMs = 50;
const longestPauseMs = 5_000;

/**
 * Creates the pauses of one write: exponential backoff with full jitter, at most ten, within the retry window. Each waits after
 * a failure, at least for its `Retry-After`. Returns false at once if no pause or too little time is left.
 */
export function createBackoff(retryWindow: RetryWindow): (failure: UpstreamError) => Promise<boolean> {
  let pauses = 0;
  return async ({ retryAfterSeconds }) => {
    const longest = Math.min(firstPauseMs * 2 ** pauses, longestPauseMs);
    const ms = Math.max(Math.random() * longest, (retryAfterSeconds ?? 0) * 1_000);
    pauses += 1;
    if (pauses > maxPauses || ms > retryWindow.remainingMs()) return false;
    await sleep(ms);
    return true;
  };
}
