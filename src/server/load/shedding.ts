import type { Logger } from 'pino';
import { createEntriesByKey } from '../../runtime/entries-by-key.ts';
import { businessArea, managementArea } from '../guard/authorization.ts';

/**
 * The limit that a request exceeded: all slots, event-loop delay, its caller's share, its upstream's share, or the open
 * connections.
 */
export type ShedReason = 'requests' | 'event_loop' | 'caller' | 'upstream' | 'connections';

const processOverloaded = 'The server is overloaded. Try again in a second.';

export const overloadMessages: Readonly<Record<ShedReason, string>> = {
  requests: processOverloaded,
  event_loop: processOverloaded,
  caller: 'Too many requests of this caller are in progress. Try again in a second.',
  upstream: 'Too many requests are waiting for this upstream. Try again in a second.',
  connections: processOverloaded,
};

/** Load shedding: rejects requests above the server's capacity, so that accepted ones stay fast. */
export interface LoadShedder {
  /** Whether `acquire` would return a slot. */
  hasSlot(callerKey: string, token: string | null): boolean;
  /**
   * Takes a slot for a caller, or returns the limit that rejects it. `token` identifies one of the tokens that share
   * the slots of an address; null for verified callers.
   */
  acquire(callerKey: string, token: string | null): RequestSlot | ShedReason;
  countRejection(reason: ShedReason): void;
  usage(): Readonly<ProcessUsage>;
}

export interface LoadLimits {
  readonly maxRequests: number;
  /** One caller's share of the slots, in weights. One token of an address may use three quarters of the share. */
  readonly maxRequestsPerCaller: number;
  readonly maxLoopDelayMs: number;
}

export interface LoadShedderOptions {
  readonly limits: LoadLimits;
  /** Number of upstream services that are configured. */
  readonly upstreamCount: number;
  readonly loopDelay: EventLoopDelay;
  readonly observer?: { requestShed(reason: ShedReason): void } | null;
  readonly log: Logger;
}

const logIntervalMs = 10_000;

export function createLoadShedder(options: LoadShedderOptions): LoadShedder {
  const { upstreamCount, loopDelay, observer, log } = options;
  const usage: ProcessUsage = { held: 0, weight: 0, callers: 0, business: 0, management: 0 };
  const createUsages = () =>
    createEntriesByKey<CallerUsage>(
      () => ({ held: 0 }),
      ({ held }) => held === 0,
    );
  const [usages, usagesOfTokens] = [createUsages(), createUsages()];
  const getTokenUsage = (callerKey: string, token: string | null) =>
    token === null ? null : usagesOfTokens.get(`${callerKey} ${token}`);
  const logRejection = createRejectionLog((rejections) =>
    log.warn(
      { rejections, ...usage, loopDelayMs: Math.round(loopDelay.sustainedMs()) },
      'Requests are rejected as OVERLOADED.',
    ),
  );

  const reject = (reason: ShedReason) => {
    observer?.requestShed(reason);
    logRejection();
  };
  const { maxRequests, maxRequestsPerCaller, maxLoopDelayMs } = options.limits;
  const maxHeldPerCaller = Math.min(maxRequestsPerCaller, maxRequests);
  const maxPerArea = upstreamCount > 1 ? Math.ceil(maxRequests / 2) : Number.POSITIVE_INFINITY;
  // Where one caller may hold all slots, so may one token.
  const maxHeldPerToken =
    maxRequestsPerCaller > maxRequests
      ? Number.POSITIVE_INFINITY
      : Math.ceil((Math.min(maxRequestsPerCaller, maxPerArea) * 3) / 4);
  const slotLimits: SlotLimits = { maxHeldPerCaller, maxHeldPerToken, maxPerArea, onRejected: reject };
  const isEventLoopLate = () => loopDelay.sustainedMs() > maxLoopDelayMs;
  const findProcessExcess = (): ShedReason | null => {
    if (usage.held >= maxRequests) return 'requests';
    // One caller alone cannot cause rejections of all, however much it delays the event loop.
    return usage.held > maxHeldPerCaller && isEventLoopLate() ? 'event_loop' : null;
  };
  const findCallerExcess = ({ held }: CallerUsage, token: CallerUsage | null): ShedReason | null => {
    if (held >= maxHeldPerCaller || (token && token.held >= maxHeldPerToken)) return 'caller';
    const smallShare = Math.ceil(maxHeldPerCaller / 4);
    // A caller with a small or below-average load does not cause the delay.
    return held >= smallShare && held * usage.callers >= usage.weight && isEventLoopLate()
      ? 'event_loop'
      : null;
  };

  return {
    countRejection: reject,
    hasSlot: (callerKey, token) =>
      (findProcessExcess() ?? findCallerExcess(usages.get(callerKey), getTokenUsage(callerKey, token))) ===
      null,
    acquire(callerKey, token) {
      const callerUsage = usages.get(callerKey);
      const usageOfToken = getTokenUsage(callerKey, token);
      const reason = findProcessExcess() ?? findCallerExcess(callerUsage, usageOfToken);
      if (reason === null) return new RequestSlot(usage, callerUsage, usageOfToken, slotLimits);
      reject(reason);
      return reason;
    },
    usage: () => usage,
  };
}

/** Calls `warn` at most every ten seconds, with the number of rejections since the last call. */
function createRejectionLog(warn: (rejections: number) => void): () => void {
  let rejections = 0;
  let nextLineAt = Number.NEGATIVE_INFINITY;
  return () => {
    rejections += 1;
    const now = performance.now();
    if (now < nextLineAt) return;
    warn(rejections);
    rejections = 0;
    nextLineAt = now + logIntervalMs;
  };
}

/** Slots used by one caller, or by one token of an address. */
export interface CallerUsage {
  /** Total weight of requests that hold a slot. */
  held: number;
}

export interface ProcessUsage {
  /** Number of requests that hold a slot. */
  held: number;
  /** Their total weight, and the number of their callers. */
  weight: number;
  callers: number;
  /** The numbers of requests that may call each area. */
  business: number;
  management: number;
}

export interface SlotLimits {
  /** In weights. */
  readonly maxHeldPerCaller: number;
  readonly maxHeldPerToken: number;
  /** In requests. */
  readonly maxPerArea: number;
  onRejected(reason: 'caller' | 'upstream'): void;
}

// A page of 50 orders with their lines is 550 rows and weighs as much as the smallest request.
const rowsPerWeight = 1_000;

/** The slot of one request, from its admission to its release. A class, because instances share their methods. */
export class RequestSlot {
  readonly #process: ProcessUsage;
  readonly #caller: CallerUsage;
  /** The usage of the token if the caller is an address; null if the caller is verified. */
  readonly #token: CallerUsage | null;
  readonly #limits: SlotLimits;
  #isReleased = false;
  #weight = 1;
  /** The areas that the operation may call; none until it is known. */
  #areas = 0;

  constructor(process: ProcessUsage, caller: CallerUsage, token: CallerUsage | null, limits: SlotLimits) {
    this.#process = process;
    this.#caller = caller;
    this.#token = token;
    this.#limits = limits;
    this.#count(1);
  }

  /** Sets the operation's cost and areas. Returns the limit it exceeds, if any. */
  setCost(rows: number, areas: number): 'caller' | 'upstream' | null {
    // A token's request weighs at most the token's share, so that other tokens of the address are served, too.
    const max = this.#token ? this.#limits.maxHeldPerToken : Number.POSITIVE_INFINITY;
    const weight = Math.min(1 + Math.floor(rows / rowsPerWeight), max);
    const reason = this.#findExceededLimit(weight, areas);
    if (reason !== null) {
      this.#limits.onRejected(reason);
      return reason;
    }
    this.#count(-1);
    this.#weight = weight;
    this.#areas = areas;
    this.#count(1);
    return null;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#count(-1);
  }

  #findExceededLimit(weight: number, areas: number): 'caller' | 'upstream' | null {
    const { maxHeldPerCaller, maxHeldPerToken, maxPerArea } = this.#limits;
    // A request heavier than the whole share runs alone.
    const exceeds = ({ held }: CallerUsage, max: number) =>
      held > this.#weight && held - this.#weight + weight > max;
    if (exceeds(this.#caller, maxHeldPerCaller)) return 'caller';
    if (this.#token && exceeds(this.#token, maxHeldPerToken)) return 'caller';
    if (areas & businessArea && this.#process.business >= maxPerArea) return 'upstream';
    if (areas & managementArea && this.#process.management >= maxPerArea) return 'upstream';
    return null;
  }

  #count(sign: 1 | -1): void {
    this.#process.held += sign;
    this.#process.weight += sign * this.#weight;
    if (this.#caller.held === 0) this.#process.callers += 1;
    this.#caller.held += sign * this.#weight;
    if (this.#token) this.#token.held += sign * this.#weight;
    if (this.#caller.held === 0) this.#process.callers -= 1;
    if (this.#areas & businessArea) this.#process.business += sign;
    if (this.#areas & managementArea) this.#process.management += sign;
  }
}

/** Measures how late timers fire. */
export interface EventLoopDelay {
  /** Returns the smaller of the two most recent half-second maxima: a single long block does not count. */
  sustainedMs(): number;
  stop(): void;
}

const samplingIntervalMs = 50;
const delayWindowMs = 500;

/**
 * Samples the event loop's delay with a timer.
 *
 * Not `monitorEventLoopDelay` of `perf_hooks`, which drops the first sample after each reset: it would never notice a
 * loop that is always a second late.
 */
export function monitorEventLoopDelay(): EventLoopDelay {
  let sampledAt = performance.now();
  let windowStart = sampledAt;
  let windowMax = 0;
  let previousMax = 0;
  let sustained = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    windowMax = Math.max(windowMax, now - sampledAt - samplingIntervalMs);
    sampledAt = now;
    if (now - windowStart < delayWindowMs) return;
    sustained = Math.min(previousMax, windowMax);
    [previousMax, windowMax, windowStart] = [windowMax, 0, now];
  }, samplingIntervalMs).unref();

  return { sustainedMs: () => sustained, stop: () => clearInterval(timer) };
}
