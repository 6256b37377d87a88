import { UpstreamError, type UpstreamName } from '../../errors.ts';
import type { Deadline } from '../../runtime/deadline.ts';
import { createEntriesByKey } from '../../runtime/entries-by-key.ts';
import type { Access } from '../auth/access.ts';
import {
  type CallQuota,
  createQuotaAccounts,
  type QuotaAccount,
  type SharedCallQuota,
  toTokenBucket,
} from './call-quota.ts';

/** The caller of a call. A person has one quota key. */
type CallerKeys = Pick<Access, 'quotaKey' | 'person'>;

/**
 * Limits the concurrent calls to one upstream, in all and per caller, pauses callers that the upstream throttles, and keeps
 * callers within the upstream's quota. Calls of one caller start in order; callers take turns (round robin).
 */
export interface RateLimiter {
  /**
   * Returns the function that releases the call's slot, to be called once when the call has ended; a promise of it if the
   * call has to wait. Throws, or rejects with, an `UpstreamError` (not sent) if the wait would outlast the deadline.
   */
  acquire(keys: CallerKeys, deadline: Deadline): (() => void) | Promise<() => void>;
  /** Starts no call of this quota key for `ms`, as the upstream has asked. */
  pause(quotaKey: string, ms: number): void;
  /** Counts another attempt of a running call towards the quota, without waiting. */
  countAttempt(quotaKey: string): void;
  getState(): RateLimiterState;
  snapshot(keys: CallerKeys): RateLimitSnapshot;
}

export interface RateLimiterState {
  readonly inFlight: number;
  readonly waiting: number;
  readonly pausedCallers: number;
  readonly pacedCallers: number;
  /** The least that any caller has left of the quota; null without a quota. */
  readonly leastQuota: number | null;
}

export interface RateLimitSnapshot {
  readonly inFlight: number;
  readonly maxInFlight: number;
  readonly waiting: number;
  /** Time until calls may start again; null if they are not paused. */
  readonly pausedMs: number | null;
  /** How many calls may start at once before they are paced; null without a quota. */
  readonly quotaRemaining: number | null;
}

export interface RateLimiterOptions {
  readonly upstream: UpstreamName;
  /** Concurrent calls in all, each over an HTTP connection. */
  readonly maxCalls: number;
  /** Per quota key, as the upstream counts. */
  readonly maxCallsPerCaller: number;
  /** The upstream's quota per quota key; null if unknown. */
  readonly quota: CallQuota | null;
  /** The quota that replicas count together; null for a single replica. */
  readonly sharedQuota: SharedCallQuota | null;
  onPaced?(): void;
}

// Upstreams may ask for longer pauses, but a mistake of an upstream must not block a caller for a day.
export const maxPauseMs = 300_000;

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { upstream, maxCalls, maxCallsPerCaller, quota, onPaced } = options;
  const openAccount = quota && createQuotaAccounts(quota, options.sharedQuota);
  // How many calls a caller without earlier calls may start at once.
  const maxBurst = quota && toTokenBucket(quota).capacity;
  const users = createEntriesByKey<UpstreamUser>(
    (quotaKey) => ({
      running: 0,
      waiting: 0,
      pausedUntil: 0,
      resumeTimer: undefined,
      quota: openAccount?.(quotaKey, startWaiting) ?? null,
    }),
    ({ running, waiting, resumeTimer, quota }) =>
      running + waiting === 0 && resumeTimer === undefined && (quota?.isIdle() ?? true),
  );
  const runningOfCallers = createEntriesByKey(
    () => ({ running: 0 }),
    ({ running }) => running === 0,
  );
  // The callers with waiting calls. A caller whose call has started moves to the end.
  const queues = new Map<string, CallerQueue>();
  let running = 0;

  const isPaused = ({ pausedUntil }: UpstreamUser) => pausedUntil > performance.now();
  // Takes a token if the call can start. Without a token, the account calls `startWaiting` later.
  const tryStart = (user: UpstreamUser) =>
    running < maxCalls &&
    user.running < maxCallsPerCaller &&
    !isPaused(user) &&
    (user.quota === null || user.quota.take());

  const start = (user: UpstreamUser, person: string): (() => void) => {
    const ofCaller = runningOfCallers.get(person);
    running += 1;
    user.running += 1;
    ofCaller.running += 1;
    return () => {
      running -= 1;
      user.running -= 1;
      ofCaller.running -= 1;
      startWaiting();
    };
  };

  const startNext = ([person, queue]: [string, CallerQueue]): boolean => {
    const [next] = queue.calls;
    if (!next || !tryStart(queue.user)) return false;
    queues.delete(person);
    queues.set(person, queue);
    next.start();
    return true;
  };

  /** Starts one call of each caller, round after round, until none can start. */
  const startWaiting = () => {
    while (queues.size > 0 && running < maxCalls && [...queues].map(startNext).includes(true));
  };

  const throttled = (message: string, retryAfterSeconds: number) =>
    new UpstreamError('UPSTREAM_THROTTLED', message, { upstream, delivery: 'notSent', retryAfterSeconds });
  const pausedError = ({ pausedUntil }: UpstreamUser) =>
    throttled(pausedMessage, Math.ceil((pausedUntil - performance.now()) / 1000));
  const pacedError = (ms: number) => throttled(pacedMessage, Math.ceil(ms / 1000));
  const fullError = () => throttled(fullMessage, 1);
  const lateError = (user: UpstreamUser) => {
    if (isPaused(user)) return pausedError(user);
    const pacedMs = user.quota?.waitMs(0) ?? 0;
    return pacedMs > 0 ? pacedError(pacedMs) : fullError();
  };

  const wait = (user: UpstreamUser, person: string, deadline: Deadline) =>
    new Promise<() => void>((resolve, reject) => {
      const queue = queues.get(person) ?? { user, calls: new Set() };
      const leave = () => {
        unsubscribe();
        user.waiting -= 1;
        queue.calls.delete(call);
        if (queue.calls.size === 0) queues.delete(person);
      };
      const call: WaitingCall = {
        deadline,
        start() {
          leave();
          resolve(start(user, person));
        },
        refuse() {
          leave();
          reject(lateError(user));
        },
      };
      queues.set(person, queue);
      queue.calls.add(call);
      user.waiting += 1;
      const unsubscribe = deadline.onExpire(call.refuse);
    });

  const resume = (user: UpstreamUser) => {
    // Timers may fire early.
    user.resumeTimer = isPaused(user)
      ? setTimeout(resume, Math.ceil(user.pausedUntil - performance.now()), user).unref()
      : undefined;
    if (!user.resumeTimer) startWaiting();
  };

  return {
    acquire({ quotaKey, person }, deadline) {
      if (deadline.isExpired) throw fullError();
      const user = users.get(quotaKey);
      if (user.waiting === 0 && tryStart(user)) return start(user, person);
      if (user.pausedUntil > deadline.at) throw pausedError(user);
      const pacedMs = user.quota?.waitMs(user.waiting) ?? 0;
      if (performance.now() + pacedMs > deadline.at) throw pacedError(pacedMs);
      if (pacedMs > 0) onPaced?.();
      return wait(user, person, deadline);
    },

    pause(quotaKey, ms) {
      const user = users.get(quotaKey);
      const pausedUntil = performance.now() + Math.min(ms, maxPauseMs);
      if (pausedUntil <= user.pausedUntil) return;
      user.pausedUntil = pausedUntil;
      const waiting = [...queues.values()].flatMap((queue) => (queue.user === user ? [...queue.calls] : []));
      for (const call of waiting) if (call.deadline.at < pausedUntil) call.refuse();
      clearTimeout(user.resumeTimer);
      resume(user);
    },

    countAttempt: (quotaKey) => users.get(quotaKey).quota?.charge(),

    getState() {
      const all = [...users.values()];
      return {
        inFlight: running,
        waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
        pausedCallers: all.filter(({ resumeTimer }) => resumeTimer !== undefined).length,
        pacedCallers: all.filter(({ quota }) => quota?.isPacing()).length,
        leastQuota: maxBurst && Math.min(maxBurst, ...all.map(({ quota }) => quota?.remaining() ?? maxBurst)),
      };
    },

    snapshot({ quotaKey, person }) {
      const user = users.find(quotaKey);
      const pausedMs = (user?.pausedUntil ?? 0) - performance.now();
      return {
        inFlight: runningOfCallers.find(person)?.running ?? 0,
        maxInFlight: Math.min(maxCalls, maxCallsPerCaller),
        waiting: queues.get(person)?.calls.size ?? 0,
        pausedMs: pausedMs > 0 ? pausedMs : null,
        quotaRemaining: user?.quota?.remaining() ?? maxBurst,
      };
    },
  };
}

const pausedMessage = 'The upstream has asked this caller to wait. Try again after that.';
const pacedMessage = "This caller has used the upstream's quota of calls. Try again after that.";
const fullMessage = 'Too many calls of this caller wait for the upstream. Ask for less at a time.';

/** A quota key, whose calls the upstream counts together. */
interface UpstreamUser {
  running: number;
  waiting: number;
  /** On the clock of `performance.now()`. */
  pausedUntil: number;
  resumeTimer: NodeJS.Timeout | undefined;
  /** Null if the upstream's quota is unknown. */
  readonly quota: QuotaAccount | null;
}

/** The waiting calls of one caller, in order. */
interface CallerQueue {
  readonly user: UpstreamUser;
  readonly calls: Set<WaitingCall>;
}

interface WaitingCall {
  readonly deadline: Deadline;
  start(): void;
  /** Rejects the call as not sent. */
  refuse(): void;
}
