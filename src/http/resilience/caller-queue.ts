import type { Deadline } from '../../runtime/deadline.ts';
import { createEntriesByKey } from '../../runtime/entries-by-key.ts';
import type { OpenQuotaAccount, QuotaAccount } from './call-quota.ts';

export interface WaitingCall {
  readonly deadline: Deadline;
  start(): void;
  /** Rejects the call as not sent. */
  refuse(): void;
}

/** The calls of one rate limit key. */
export class CallerQueue {
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
