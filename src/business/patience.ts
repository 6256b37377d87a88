import { setTimeout as sleep } from 'node:timers/promises';
import type { UpstreamError } from '../errors.ts';

/** How long an unsettled write is followed up: pauses that grow, at random, and then no more. */
export interface Patience {
  /** Waits after a failure, at least as long as the upstream asks for. False when there is no time left for it. */
  pause(failure: UpstreamError): Promise<boolean>;
}

const maxPauses = 10;
const firstPauseMs = 50;
const longestPauseMs = 5_000;
const maxMs = 60_000;

/** The patience with one write: ten pauses, begun within a minute of the first. */
export function createPatience(): Patience {
  let pauses = 0;
  let end = Number.POSITIVE_INFINITY;

  return {
    async pause({ retryAfterSeconds }) {
      const longest = Math.min(firstPauseMs * 2 ** pauses, longestPauseMs);
      const ms = Math.max(Math.random() * longest, (retryAfterSeconds ?? 0) * 1_000);
      if (pauses === 0) end = Date.now() + maxMs;
      pauses += 1;
      if (pauses > maxPauses || Date.now() + ms > end) return false;
      await sleep(ms);
      return true;
    },
  };
}
