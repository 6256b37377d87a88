import type { Logger } from 'pino';
import { once } from './connections.ts';
import type { LoopDelay } from './loop-delay.ts';
import type { ServerObserver } from './observer.ts';

/** Refuses what comes while there is as much to do as can be done: what is begun stays quick that way. */
export interface Shedding {
  /** Whether what comes now is refused; if so it counts as refused. */
  refuses(): boolean;
  /** Takes a place; what is returned gives it back. Null where it is refused. */
  open(): (() => void) | null;
  /** Whether so much was refused lately that requests had better go elsewhere. */
  isShedding(): boolean;
  /** How many places are taken. */
  taken(): number;
}

export interface SheddingOptions {
  /** How many places there are. */
  readonly maxRequests: number;
  readonly maxLoopDelayMs: number;
  readonly loopDelay: LoopDelay;
  readonly observer?: Pick<ServerObserver, 'shed'> | null;
  readonly log: Logger;
}

/** What is said to who is refused. */
export const overloaded = 'There is more to do than can be done. Try again in a second.';

const many = 100;
const withinMs = 5_000;
const elsewhereMs = 10_000;

export function createShedding(options: SheddingOptions): Shedding {
  const { maxRequests, maxLoopDelayMs, loopDelay, observer, log } = options;
  let taken = 0;
  // The instants of the last hundred refusals, the oldest where the next one goes.
  const refusedAt: number[] = Array(many).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  let sheddingUntil = Number.NEGATIVE_INFINITY;

  const note = () => {
    observer?.shed();
    const now = performance.now();
    refusedAt[next] = now;
    next = (next + 1) % many;
    if (now - (refusedAt[next] as number) > withinMs) return;
    if (now >= sheddingUntil)
      log.warn({ taken, loopDelayMs: Math.round(loopDelay.lastingMs()) }, 'Many requests are refused.');
    sheddingUntil = now + elsewhereMs;
  };
  const refuses = () => {
    const isFull = taken >= maxRequests || loopDelay.lastingMs() > maxLoopDelayMs;
    if (isFull) note();
    return isFull;
  };

  return {
    refuses,
    open() {
      if (refuses()) return null;
      taken += 1;
      return once(() => {
        taken -= 1;
      });
    },
    isShedding: () => performance.now() < sheddingUntil,
    taken: () => taken,
  };
}
