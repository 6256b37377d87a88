/**
 * The time at which the waiters for a result give up. Not an `AbortSignal`: each call has three deadlines, and creating
 * and aborting three signals takes longer than sending the request.
 */
export interface Deadline {
  /** On the clock of `performance.now()`. May become later when more waiters join. */
  readonly at: number;
  /** True after `at`, and when nobody waits any more. */
  readonly isExpired: boolean;
  /** Calls `act` on expiry; immediately if already expired. Returns the function that unsubscribes. */
  onExpire(act: () => void): () => void;
}

/**
 * A deadline that can also end early. A class, because V8 creates a hidden class per object literal with a getter. Hidden
 * classes live in the old generation and would keep everything that a call has allocated alive.
 */
export class DeadlineController implements Deadline {
  isExpired = false;
  readonly #getTime: () => number;
  #listeners: Set<() => void> | undefined;

  constructor(getTime: () => number) {
    this.#getTime = getTime;
  }

  get at(): number {
    return this.#getTime();
  }

  onExpire(act: () => void): () => void {
    if (this.isExpired) act();
    else {
      this.#listeners ??= new Set();
      this.#listeners.add(act);
    }
    return () => void this.#listeners?.delete(act);
  }

  end(): void {
    if (this.isExpired) return;
    this.isExpired = true;
    for (const act of this.#listeners ?? []) act();
    this.#listeners = undefined;
  }
}

/**
 * Starts a deadline that expires after `ms` milliseconds or together with `within`, whichever is first. Call `end` when
 * the deadline is no longer needed, to clear its timer.
 */
export function startDeadline(ms: number, within?: Deadline): DeadlineController {
  const latest = performance.now() + ms;
  const deadline = new DeadlineController(within ? () => Math.min(latest, within.at) : () => latest);
  const end = () => deadline.end();
  const timer = setTimeout(end, ms);
  const unsubscribe = within?.onExpire(end);
  deadline.onExpire(() => {
    clearTimeout(timer);
    unsubscribe?.();
  });
  return deadline;
}

/**
 * Waits `ms` milliseconds, then resolves with true. Resolves with false as soon as the deadline expires, or immediately
 * if the deadline is earlier.
 */
export async function sleepWithin(ms: number, deadline: Deadline): Promise<boolean> {
  if (performance.now() + ms > deadline.at) return false;
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      unsubscribe();
      resolve(true);
    }, ms);
    const unsubscribe = deadline.onExpire(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

/** Returns a deadline that expires when all of `deadlines` have expired. */
export function latestDeadline(deadlines: readonly Deadline[]): Deadline {
  const latest = new DeadlineController(() => Math.max(...deadlines.map(({ at }) => at)));
  let remaining = deadlines.length;
  const onExpire = () => {
    remaining -= 1;
    if (remaining === 0) latest.end();
  };
  for (const deadline of deadlines) deadline.onExpire(onExpire);
  return latest;
}
