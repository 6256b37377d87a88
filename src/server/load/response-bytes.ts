import type { ByteBudget } from '../../graph/response-meter.ts';
import { waitForTurn } from '../../runtime/cooperative-queue.ts';
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
  const byCaller = new Map<string, number>();
  let total = 0;

  const add = (key: string, bytes: number) => {
    total += bytes;
    const pending = (byCaller.get(key) ?? 0) + bytes;
    if (pending === 0) byCaller.delete(key);
    else byCaller.set(key, pending);
  };

  return {
    openAccount({ key }) {
      let reserved = 0;
      return {
        reserve(bytes) {
          if (total + bytes > maxBytes || (byCaller.get(key) ?? 0) + bytes > maxBytesPerCaller) return false;
          add(key, bytes);
          reserved += bytes;
          return true;
        },
        waitForTurn: () => waitForTurn(key),
        release(kept = 0) {
          if (reserved <= kept) return;
          add(key, kept - reserved);
          reserved = kept;
        },
      };
    },
    pendingBytes: () => total,
  };
}
