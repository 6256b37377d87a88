import { setTimeout as sleep } from 'node:timers/promises';
import type { UpstreamError } from '../errors.ts';

/** How long unsettled writes of one mutation are followed up: a minute, from when it is first asked about. */
export interface Deadline {
  /** Milliseconds; none, or fewer, when it is over. */
  left(): number;
}

const followedMs = 60_000;

export function createDeadline(): Deadline {
  let end: number | null = null;
  return {
    left() {
      end ??= Date.now() + followedMs;
      return end - Date.now();
    },
  };
}

/** How long one of them is: pauses that grow, at random, and then no more. */
export interface Patience {
  /** Waits after a failure, at least as long as the upstream asks for. False when there is no time left for it. */
  pause(failure: UpstreamError): Promise<boolean>;
}

const maxPauses = 10;
const firstPauseMs = 50;
const longestPauseMs = 5_000;

/** The patience with one write: ten pauses, within the deadline. */
export function createPatience(deadline: Deadline = createDeadline()): Patience {
  let pauses = 0;

  return {
    async pause({ retryAfterSeconds }) {
      const longest = Math.min(firstPauseMs * 2 ** pauses, longestPauseMs);
      const ms = Math.max(Math.random() * longest, (retryAfterSeconds ?? 0) * 1_000);
      pauses += 1;
      if (pauses > maxPauses || ms > deadline.left()) return false;
      await sleep(ms);
      return true;
    },
  };
}
