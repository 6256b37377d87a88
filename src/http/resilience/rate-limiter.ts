import { UpstreamError, type UpstreamName } from '../../errors.ts';
import type { Deadline } from '../../runtime/deadline.ts';
import { createEntriesByKey } from '../../runtime/entries-by-key.ts';
import type { OpenQuotaAccount, QuotaAccount } from './call-quota.ts';

/** Who makes a call, and the identity under which the upstream counts it: with granted tokens that is one for all callers. */
export interface CallerKeys {
  readonly rateLimitKey: string;
  readonly callerKey: string;
}

/**
 * Limits the concurrent calls to one upstream, in all and per caller, pauses callers that the upstream throttles, and paces
 * callers towards the upstream's quota.
 * Calls of one caller start in order; callers take turns (round robin).
 */
export interface RateLimiter {
  /**
   * Returns the function to call once when the call has ended: immediately where the call may start, else when it may.
   * Throws, or rejects with, an `UpstreamError` of a call that was not sent: where too many calls wait, or the wait would
   * outlast the deadline.
   */
  acquire(keys: CallerKeys, deadline: Deadline): (() => void) | Promise<() => void>;
  /** Starts no call of this rate limit key for `ms`: the upstream has asked it to wait. */
  pause(rateLimitKey: string, ms: number): void;
  /** Counts an attempt that starts in the place of a running one, without waiting. */
  countAttempt(rateLimitKey: string): void;
  getState(): RateLimiterState;
  snapshot(keys: CallerKeys): RateLimitSnapshot;
}

export interface RateLimiterState {
  /** Calls running now. */
  readonly inFlight: number;
  /** Calls waiting to start. */
  readonly waiting: number;
  /** Callers whose calls are paused. */
  readonly pausedCallers: number;
  /** Callers whose calls wait for the quota. */
  readonly pacedCallers: number;
  /** The least that any caller has left of the quota; null without a quota. */
  readonly leastQuota: number | null;
}

/** What one caller uses, and may use. */
export interface RateLimitSnapshot {
  readonly inFlight: number;
  readonly maxInFlight: number;
  readonly waiting: number;
  readonly maxWaiting: number;
  /** Time until calls may start again; null where they are not paused. */
  readonly pausedMs: number | null;
  /** How many calls may start at once before they are paced; null without a quota. */
  readonly quotaRemaining: number | null;
}

export interface RateLimiterOptions {
  readonly upstream: UpstreamName;
  readonly maxCalls: number;
  /** Per rate limit key, as the upstream counts. */
  readonly maxCallsPerCaller: number;
  /** Per caller key, so that callers who share a rate limit key cannot crowd each other out. */
  readonly maxWaitingPerCaller: number;
  /** Null where the upstream has no known quota. */
  readonly openQuota: OpenQuotaAccount | null;
  /** How many calls may start at once where a caller has made none. */
  readonly maxBurst: number | null;
  /** A call has to wait for the quota. */
  onPaced?(): void;
}

// Upstreams may ask for longer, but an upstream's mistake must not block a caller for a day.
export const maxPauseMs = 300_000;

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { upstream, maxCalls, maxCallsPerCaller, maxWaitingPerCaller, openQuota, maxBurst, onPaced } =
    options;
  const queues = createEntriesByKey(
    (rateLimitKey) => new CallerQueue(rateLimitKey, openQuota, startWaiting),
    (queue) => queue.isIdle(),
  );
  // Queues with waiting calls. One whose call has started moves to the end.
  const waitingQueues = new Set<CallerQueue>();
  let running = 0;

  const canStart = (queue: CallerQueue) =>
    running < maxCalls && queue.running < maxCallsPerCaller && !queue.isPaused();

  // Where there is no token, the account calls `startWaiting` later. Nothing but a call that starts may take one.
  const takeQuota = (queue: CallerQueue, arriving: 0 | 1) =>
    queue.quota === null || queue.quota.take(queue.countAllWaiting() + arriving);

  const start = (queue: CallerQueue, callerKey: string): (() => void) => {
    running += 1;
    queue.addRunning(callerKey, 1);
    return () => {
      const wasFull = running === maxCalls;
      running -= 1;
      queue.addRunning(callerKey, -1);
      // Other queues wait for this place only where all places were taken.
      if (wasFull) startAll();
      else startNext(queue);
    };
  };

  const startNext = (queue: CallerQueue): boolean => {
    if (!queue.hasWaiting() || !canStart(queue) || !takeQuota(queue, 0)) return false;
    waitingQueues.delete(queue);
    waitingQueues.add(queue);
    queue.rotate()?.start();
    return true;
  };

  const startWaiting = (queue: CallerQueue) => {
    while (startNext(queue));
  };

  /** Starts one call per queue, round after round, until none can start. */
  const startAll = () => {
    while (running < maxCalls && [...waitingQueues].map(startNext).includes(true));
  };

  const throttled = (message: string, retryAfterSeconds: number) =>
    new UpstreamError('UPSTREAM_THROTTLED', message, { upstream, delivery: 'notSent', retryAfterSeconds });
  const pausedError = ({ pausedUntil }: CallerQueue) =>
    throttled(pausedMessage, Math.ceil((pausedUntil - performance.now()) / 1000));
  const pacedError = (ms: number) => throttled(pacedMessage, Math.ceil(ms / 1000));
  const fullError = () => throttled(fullMessage, 1);
  const lateError = (queue: CallerQueue) => {
    if (queue.isPaused()) return pausedError(queue);
    const pacedMs = queue.quota?.waitMs(0) ?? 0;
    return pacedMs > 0 ? pacedError(pacedMs) : fullError();
  };

  const wait = (queue: CallerQueue, callerKey: string, deadline: Deadline) =>
    new Promise<() => void>((resolve, reject) => {
      const leave = () => {
        unsubscribe();
        queue.remove(callerKey, call);
        if (!queue.hasWaiting()) waitingQueues.delete(queue);
      };
      const call: WaitingCall = {
        deadline,
        start() {
          resolve(start(queue, callerKey));
          leave();
        },
        refuse() {
          const error = lateError(queue);
          leave();
          reject(error);
        },
      };
      queue.add(callerKey, call);
      waitingQueues.add(queue);
      const unsubscribe = deadline.onExpire(call.refuse);
    });

  const resume = (queue: CallerQueue) => {
    // Timers may fire early.
    queue.resumeTimer = queue.isPaused()
      ? setTimeout(resume, Math.ceil(queue.pausedUntil - performance.now()), queue).unref()
      : undefined;
    if (!queue.resumeTimer) startAll();
  };

  return {
    acquire({ rateLimitKey, callerKey }, deadline) {
      if (deadline.isExpired) throw fullError();
      const queue = queues.get(rateLimitKey);
      const isNext = !queue.hasWaiting() && canStart(queue);
      if (isNext && takeQuota(queue, 1)) return start(queue, callerKey);
      if (queue.pausedUntil > deadline.at) throw pausedError(queue);
      const pacedMs = queue.quota?.waitMs(queue.countAllWaiting()) ?? 0;
      if (performance.now() + pacedMs > deadline.at) throw pacedError(pacedMs);
      if (queue.countWaiting(callerKey) >= maxWaitingPerCaller) throw fullError();
      if (pacedMs > 0) onPaced?.();
      return wait(queue, callerKey, deadline);
    },

    pause(rateLimitKey, ms) {
      const queue = queues.get(rateLimitKey);
      const pausedUntil = performance.now() + Math.min(ms, maxPauseMs);
      if (pausedUntil <= queue.pausedUntil) return;
      queue.pausedUntil = pausedUntil;
      for (const call of [...queue.waitingCalls()]) if (call.deadline.at < pausedUntil) call.refuse();
      clearTimeout(queue.resumeTimer);
      resume(queue);
    },

    countAttempt: (rateLimitKey) => queues.get(rateLimitKey).quota?.charge(),

    getState() {
      const all = [...queues.values()];
      return {
        inFlight: running,
        waiting: all.reduce((sum, queue) => sum + queue.countAllWaiting(), 0),
        pausedCallers: all.filter(({ resumeTimer }) => resumeTimer !== undefined).length,
        pacedCallers: all.filter(({ quota }) => quota?.isPacing()).length,
        leastQuota: maxBurst && Math.min(maxBurst, ...all.map(({ quota }) => quota?.remaining() ?? maxBurst)),
      };
    },

    snapshot({ rateLimitKey, callerKey }) {
      const queue = queues.find(rateLimitKey);
      const pausedMs = (queue?.pausedUntil ?? 0) - performance.now();
      return {
        inFlight: queue?.countRunning(callerKey) ?? 0,
        maxInFlight: Math.min(maxCalls, maxCallsPerCaller),
        waiting: queue?.countWaiting(callerKey) ?? 0,
        maxWaiting: maxWaitingPerCaller,
        pausedMs: pausedMs > 0 ? pausedMs : null,
        quotaRemaining: queue?.quota?.remaining() ?? maxBurst,
      };
    },
  };
}

const pausedMessage = 'The upstream has asked this caller to wait. Try again after that.';
const pacedMessage = "This caller has used the upstream's quota of calls. Try again after that.";
const fullMessage = 'Too many calls of this caller wait for the upstream. Ask for less at a time.';

export interface WaitingCall {
  readonly deadline: Deadline;
  start(): void;
  /** Rejects the call as not sent. */
  refuse(): void;
}

/** The calls of one rate limit key. */
class CallerQueue {
  running = 0;
  readonly #runningByCaller = createEntriesByKey(
    () => ({ running: 0 }),
    ({ running }) => running === 0,
  );
  /** Waiting calls by caller key. A caller whose call has started moves to the end. */
  readonly waitingByCaller = new Map<string, Set<WaitingCall>>();
  /** On the clock of `performance.now()`. */
  pausedUntil = 0;
  resumeTimer: NodeJS.Timeout | undefined;
  /** Null where the upstream has no known quota. */
  readonly quota: QuotaAccount | null;

  constructor(
    rateLimitKey: string,
    openAccount: OpenQuotaAccount | null,
    onReady: (queue: CallerQueue) => void,
  ) {
    this.quota = openAccount?.(rateLimitKey, () => onReady(this)) ?? null;
  }

  isPaused(): boolean {
    return this.pausedUntil > performance.now();
  }

  hasWaiting(): boolean {
    return this.waitingByCaller.size > 0;
  }

  isIdle(): boolean {
    const isUnused = !this.hasWaiting() && this.running === 0 && this.resumeTimer === undefined;
    return isUnused && (this.quota?.isIdle() ?? true);
  }

  addRunning(callerKey: string, change: 1 | -1): void {
    this.running += change;
    this.#runningByCaller.get(callerKey).running += change;
  }

  countRunning(callerKey: string): number {
    return this.#runningByCaller.find(callerKey)?.running ?? 0;
  }

  countWaiting(callerKey: string): number {
    return this.waitingByCaller.get(callerKey)?.size ?? 0;
  }

  countAllWaiting(): number {
    let count = 0;
    for (const { size } of this.waitingByCaller.values()) count += size;
    return count;
  }

  add(callerKey: string, call: WaitingCall): void {
    const calls = this.waitingByCaller.get(callerKey) ?? new Set();
    this.waitingByCaller.set(callerKey, calls);
    calls.add(call);
  }

  remove(callerKey: string, call: WaitingCall): void {
    const calls = this.waitingByCaller.get(callerKey);
    calls?.delete(call);
    if (calls?.size === 0) this.waitingByCaller.delete(callerKey);
  }

  /** The first waiting call of the caller whose turn it is; moves that caller to the end. */
  rotate(): WaitingCall | undefined {
    const [first] = this.waitingByCaller;
    if (!first) return undefined;
    const [callerKey, calls] = first;
    this.waitingByCaller.delete(callerKey);
    this.waitingByCaller.set(callerKey, calls);
    const [next] = calls;
    return next;
  }

  *waitingCalls(): Iterable<WaitingCall> {
    for (const calls of this.waitingByCaller.values()) yield* calls;
  }
}
