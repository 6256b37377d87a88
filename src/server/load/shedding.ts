import type { Logger } from 'pino';
import { createEntriesByKey } from '../../runtime/entries-by-key.ts';
import type { ServerObserver } from '../observer.ts';
import type { EventLoopDelay } from './event-loop-delay.ts';
import { type CallerUsage, type ProcessUsage, RequestSlot, type SlotLimits } from './request-slot.ts';
import type { ShedReason } from './shed-reasons.ts';

/** Load shedding: rejects requests above the server's capacity, so that accepted ones stay fast. */
export interface LoadShedder {
  /** Whether requests of any caller are rejected now. If so, counts a rejection. */
  rejectsAny(): boolean;
  /** Whether `acquire` would return a slot. Counts nothing. */
  hasSlot(callerKey: string, token: string | null): boolean;
  /**
   * Takes a slot for a caller, or returns the limit that rejects it. `token` tells apart the tokens of an address, which
   * share its slots; null for verified callers.
   */
  acquire(callerKey: string, token: string | null): RequestSlot | ShedReason;
  /** Counts a rejection. */
  countRejection(reason: ShedReason): void;
  /** Returns the number of requests that hold a slot, and that wait without one. */
  usage(): Readonly<Pick<ProcessUsage, 'held' | 'waiting'>>;
}

export interface LoadLimits {
  /** Number of slots. */
  readonly maxRequests: number;
  /** One caller's share of them, in weights. One token of an address has three quarters of it, and of one area. */
  readonly maxRequestsPerCaller: number;
  readonly maxLoopDelayMs: number;
}

export interface LoadShedderOptions {
  readonly limits: LoadLimits;
  /** Number of upstream services that are configured. */
  readonly upstreamCount: number;
  readonly loopDelay: EventLoopDelay;
  readonly observer?: Pick<ServerObserver, 'requestShed'> | null;
  readonly log: Logger;
}

const manyRejections = 100;
const manyRejectionsWithinMs = 5_000;
const logQuietPeriodMs = 10_000;

export function createLoadShedder(options: LoadShedderOptions): LoadShedder {
  const { upstreamCount, loopDelay, observer, log } = options;
  const usage: ProcessUsage = { held: 0, waiting: 0, weight: 0, callers: 0, business: 0, management: 0 };
  const createUsages = () =>
    createEntriesByKey<CallerUsage>(
      () => ({ held: 0, waiting: 0 }),
      ({ held, waiting }) => held === 0 && waiting === 0,
    );
  const [usages, usagesOfTokens] = [createUsages(), createUsages()];
  const tokenUsage = (callerKey: string, token: string | null) =>
    token === null ? null : usagesOfTokens.get(`${callerKey} ${token}`);
  const logRejection = createRejectionLog(() =>
    log.warn(
      { ...usage, loopDelayMs: Math.round(loopDelay.sustainedMs()) },
      'The server is overloaded and rejects requests.',
    ),
  );

  const reject = (reason: ShedReason) => {
    observer?.requestShed(reason);
    logRejection();
  };
  const { maxRequests, maxRequestsPerCaller, maxLoopDelayMs } = options.limits;
  const maxHeldPerCaller = Math.min(maxRequestsPerCaller, maxRequests);
  const maxPerArea = upstreamCount > 1 ? Math.ceil(maxRequests / 2) : Number.POSITIVE_INFINITY;
  const maxHeldPerToken =
    maxRequestsPerCaller > maxRequests
      ? Number.POSITIVE_INFINITY
      : Math.ceil((Math.min(maxRequestsPerCaller, maxPerArea) * 3) / 4);
  const slotLimits: SlotLimits = {
    maxHeldPerCaller,
    maxHeldPerToken,
    maxPerArea,
    maxWaiting: maxRequests,
    onRejected: reject,
  };
  const isEventLoopLate = () => loopDelay.sustainedMs() > maxLoopDelayMs;
  const processExcess = (): ShedReason | null => {
    if (usage.held >= maxRequests) return 'requests';
    // One caller alone cannot cause rejections for all, however late it makes the event loop.
    return usage.held > maxHeldPerCaller && isEventLoopLate() ? 'event_loop' : null;
  };
  const callerExcess = ({ held }: CallerUsage, token: CallerUsage | null): ShedReason | null => {
    if (held >= maxHeldPerCaller || (token && token.held >= maxHeldPerToken)) return 'caller';
    const smallShare = Math.ceil(maxHeldPerCaller / 4);
    // A caller with little load, or less than average, is not the cause of the delay.
    return held >= smallShare && held * usage.callers >= usage.weight && isEventLoopLate()
      ? 'event_loop'
      : null;
  };

  return {
    rejectsAny() {
      const reason = processExcess();
      if (reason !== null) reject(reason);
      return reason !== null;
    },
    countRejection: reject,
    hasSlot: (callerKey, token) =>
      (processExcess() ?? callerExcess(usages.get(callerKey), tokenUsage(callerKey, token))) === null,
    acquire(callerKey, token) {
      const callerUsage = usages.get(callerKey);
      const ofToken = tokenUsage(callerKey, token);
      const reason = processExcess() ?? callerExcess(callerUsage, ofToken);
      if (reason === null) return new RequestSlot(usage, callerUsage, ofToken, slotLimits);
      reject(reason);
      return reason;
    },
    usage: () => usage,
  };
}

/** Calls `warn` at the hundredth rejection within five seconds, and again only after ten quieter seconds. */
function createRejectionLog(warn: () => void): () => void {
  // Ring buffer of the last hundred rejections; `next` is the oldest.
  const rejectedAt: number[] = Array(manyRejections).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  let quietAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    rejectedAt[next] = now;
    next = (next + 1) % manyRejections;
    if (now - (rejectedAt[next] as number) > manyRejectionsWithinMs) return;
    if (now >= quietAt) warn();
    quietAt = now + logQuietPeriodMs;
  };
}
