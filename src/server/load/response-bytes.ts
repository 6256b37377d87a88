import type { ByteBudget } from '../../graph/response-meter.ts';
import { waitForTurn } from '../../runtime/cooperative-queue.ts';
import { createEntriesByKey } from '../../runtime/entries-by-key.ts';
import type { Caller } from '../caller.ts';

/** Counts the bytes of responses that clients have not fully received. */
export interface ResponseBytes {
  /** Opens an account for one response of a caller. */
  openAccount(caller: Pick<Caller, 'key'>): ByteBudget;
  /** Returns the number of bytes counted now. */
  pendingBytes(): number;
}

export interface ResponseBytesLimits {
  /** Limits for the process and for each caller. */
  readonly maxBytes: number;
  readonly maxBytesPerCaller: number;
}

const maxResponseBytesInProcess = 128 * 1024 * 1024;
export const responseBytesLimits: ResponseBytesLimits = {
  maxBytes: maxResponseBytesInProcess,
  maxBytesPerCaller: maxResponseBytesInProcess / 4,
};

export function createResponseBytes({ maxBytes, maxBytesPerCaller }: ResponseBytesLimits): ResponseBytes {
  const callers = createEntriesByKey(
    () => ({ pending: 0 }),
    ({ pending }) => pending === 0,
  );
  let total = 0;

  return {
    openAccount({ key }) {
      let reserved = 0;
      return {
        reserve(bytes) {
          const caller = callers.get(key);
          if (total + bytes > maxBytes || caller.pending + bytes > maxBytesPerCaller) return false;
          total += bytes;
          caller.pending += bytes;
          reserved += bytes;
          return true;
        },
        waitForTurn: () => waitForTurn(key),
        release(kept = 0) {
          if (reserved <= kept) return;
          total += kept - reserved;
          callers.get(key).pending += kept - reserved;
          reserved = kept;
        },
      };
    },
    pendingBytes: () => total,
  };
}
