import type { Logger } from 'pino';
import type { Caller } from './caller.ts';
import { callerKeyOf } from './caller-key.ts';
import type { LoopDelay } from './loop-delay.ts';
import type { ServerObserver } from './observer.ts';
import { type CallerUse, Place, type PlaceRules, type ProcessUse } from './place.ts';

/** Which limit a request did not fit: all places, the event loop, the share of its caller or of an upstream. */
export type ShedReason = 'requests' | 'event_loop' | 'caller' | 'upstream';

/** Refuses requests while there is as much to do as can be done, so that what has begun stays fast. */
export interface Shedding {
  /** Whether any request is refused now, whoever sends it; if so it counts as refused. */
  refuses(): boolean;
  /** Whether `open` would give a caller a place now. Counts nothing: for requests that wait until there is one. */
  hasPlace(caller: Pick<Caller, 'verified' | 'peerAddress'>): boolean;
  /** Takes a place for a caller, or says which limit refuses it. */
  open(caller: Pick<Caller, 'verified' | 'peerAddress'>): Place | ShedReason;
  /** Counts a request that a limit refused. */
  refused(reason: ShedReason): void;
  /** How many requests hold a place, and how many wait for a rate limit without one. */
  use(): Readonly<Pick<ProcessUse, 'held' | 'waiting'>>;
}

export interface SheddingOptions {
  /** How many places there are. */
  readonly maxRequests: number;
  /** How many of them one caller's requests may take, in weights. */
  readonly maxRequestsPerCaller: number;
  /** How many services the upstreams are. */
  readonly areas: number;
  readonly maxLoopDelayMs: number;
  readonly loopDelay: LoopDelay;
  readonly observer?: Pick<ServerObserver, 'shed'> | null;
  readonly log: Logger;
}

const tooMuch = 'There is more to do than can be done. Try again in a second.';

/** What is said to who is refused. */
export const overloaded: Readonly<Record<ShedReason, string>> = {
  requests: tooMuch,
  event_loop: tooMuch,
  caller: 'Too many requests of this caller are worked on. Try again in a second.',
  upstream: 'Too many requests wait for this upstream. Try again in a second.',
};

const many = 100;
const withinMs = 5_000;
const sayAgainMs = 10_000;
const fewIdleCallers = 1_000;

export function createShedding(options: SheddingOptions): Shedding {
  const { maxRequests, maxLoopDelayMs, loopDelay, observer, log } = options;
  const heldOfCaller = Math.min(options.maxRequestsPerCaller, maxRequests);
  const process: ProcessUse = { held: 0, waiting: 0, weight: 0, callers: 0, business: 0, management: 0 };
  const callers = createCallers();
  const noteRefusals = createRefusalLog(() =>
    log.warn({ ...process, loopDelayMs: Math.round(loopDelay.lastingMs()) }, 'Many requests are refused.'),
  );

  const refuse = (reason: ShedReason) => {
    observer?.shed(reason);
    noteRefusals();
  };
  const little = Math.ceil(heldOfCaller / 4);
  const rules: PlaceRules = {
    heldOfCaller,
    ofArea: options.areas > 1 ? Math.ceil(maxRequests / 2) : Number.POSITIVE_INFINITY,
    waiting: maxRequests,
    waitingOfCaller: heldOfCaller,
    onRefused: refuse,
  };
  const isLate = () => loopDelay.lastingMs() > maxLoopDelayMs;
  const excess = (): ShedReason | null => {
    if (process.held >= maxRequests) return 'requests';
    // One caller alone can't have everybody refused, however late its requests make the event loop.
    return process.held > heldOfCaller && isLate() ? 'event_loop' : null;
  };
  const excessOf = ({ held }: CallerUse): ShedReason | null => {
    if (held >= heldOfCaller) return 'caller';
    // Whoever has little, or less than callers have on average, is not who makes it late.
    return held >= little && held * process.callers >= process.weight && isLate() ? 'event_loop' : null;
  };

  return {
    refuses() {
      const reason = excess();
      if (reason !== null) refuse(reason);
      return reason !== null;
    },
    refused: refuse,
    hasPlace: (caller) => (excess() ?? excessOf(callers(callerKeyOf(caller)))) === null,
    open(caller) {
      const use = callers(callerKeyOf(caller));
      const reason = excess() ?? excessOf(use);
      if (reason === null) return new Place(process, use, rules);
      refuse(reason);
      return reason;
    },
    use: () => process,
  };
}

/** What each caller uses. Those who use nothing are forgotten now and then: most come back soon. */
function createCallers(): (key: string) => CallerUse {
  const byKey = new Map<string, CallerUse>();
  let most = fewIdleCallers;

  const forgetIdle = () => {
    for (const [key, { held, waiting }] of byKey) if (held === 0 && waiting === 0) byKey.delete(key);
    most = Math.max(fewIdleCallers, 2 * byKey.size);
  };

  return (key) => {
    const known = byKey.get(key);
    if (known) return known;
    if (byKey.size >= most) forgetIdle();
    const use = { held: 0, waiting: 0 };
    byKey.set(key, use);
    return use;
  };
}

/** Calls `warn` for a hundred refusals within five seconds, and again once there were fewer for ten. */
function createRefusalLog(warn: () => void): () => void {
  // The instants of the last hundred refusals, the oldest where the next one goes.
  const refusedAt: number[] = Array(many).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  let quietAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    refusedAt[next] = now;
    next = (next + 1) % many;
    if (now - (refusedAt[next] as number) > withinMs) return;
    if (now >= quietAt) warn();
    quietAt = now + sayAgainMs;
  };
}
