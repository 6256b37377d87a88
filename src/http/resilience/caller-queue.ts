import type { Deadline } from '../../runtime/deadline.ts';

export interface WaitingCall {
  readonly deadline: Deadline;
  start(): void;
  /** Rejects the call as not sent. */
  refuse(): void;
}

/** The calls of one rate limit key. */
export class CallerQueue {
  readonly rateLimitKey: string;
  running = 0;
  readonly runningByCaller = new Map<string, number>();
  /** Waiting calls by caller key. A caller whose call has started moves to the end. */
  readonly waitingByCaller = new Map<string, Set<WaitingCall>>();
  /** On the clock of `performance.now()`. */
  pausedUntil = 0;
  resumeTimer: NodeJS.Timeout | undefined;

  constructor(rateLimitKey: string) {
    this.rateLimitKey = rateLimitKey;
  }

  isPaused(): boolean {
    return this.pausedUntil > performance.now();
  }

  hasWaiting(): boolean {
    return this.waitingByCaller.size > 0;
  }

  isIdle(): boolean {
    return !this.hasWaiting() && this.running === 0 && this.resumeTimer === undefined;
  }

  countRunning(callerKey: string, change: 1 | -1): void {
    this.running += change;
    const running = (this.runningByCaller.get(callerKey) ?? 0) + change;
    if (running > 0) this.runningByCaller.set(callerKey, running);
    else this.runningByCaller.delete(callerKey);
  }

  countWaiting(callerKey: string): number {
    return this.waitingByCaller.get(callerKey)?.size ?? 0;
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
