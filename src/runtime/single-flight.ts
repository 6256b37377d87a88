import { type Deadline, DeadlineController } from './deadline.ts';

const minInsertionsBeforeRebuild = 64;

/**
 * A map for short-lived entries. A `Map` with many insertions and deletions replaces its hash table again and again, and
 * each old table points to the next: deleted entries stay reachable until a full garbage collection. This map copies its
 * entries to a new `Map` before the table is replaced. A table in the old generation may still reference an entry, so
 * tables hold slots, and `delete` clears the slot.
 */
export class EphemeralMap<Value> {
  #slots = new Map<string, Slot<Value>>();
  #insertions = 0;

  get(name: string): Value | undefined {
    return this.#slots.get(name)?.value;
  }

  set(name: string, value: Value): void {
    this.#insertions += 1;
    if (this.#insertions > Math.max(minInsertionsBeforeRebuild, this.#slots.size)) {
      this.#slots = new Map(this.#slots);
      this.#insertions = 0;
    }
    this.#slots.set(name, new Slot(value));
  }

  delete(name: string): void {
    const slot = this.#slots.get(name);
    if (!slot) return;
    slot.value = undefined;
    this.#slots.delete(name);
  }
}

class Slot<Value> {
  value: Value | undefined;

  constructor(value: Value) {
    this.value = value;
  }
}

/**
 * Called for a waiter whose deadline expires before the result is known. Either settles the waiter's promise and calls
 * `run.leave()`, or does nothing so that the waiter keeps waiting.
 */
export type OnLate<Result> = (
  run: SharedRun<Result>,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
) => void;

/**
 * Runs identical work once: callers with the key of an unfinished run can wait for its result. A finished run is
 * forgotten.
 */
export class SingleFlight<Result> {
  readonly #isExtended: boolean;
  #runs = new EphemeralMap<SharedRun<Result>>();

  /** `until` is the deadline of a run: that of its first waiter, or the latest of all waiters. */
  constructor({ until }: { readonly until: 'first' | 'latest' }) {
    this.#isExtended = until === 'latest';
  }

  get(key: string): SharedRun<Result> | undefined {
    return this.#runs.get(key);
  }

  /** Creates a run that others can join. The work begins when the first waiter waits. */
  start(key: string, work: (deadline: DeadlineController) => Promise<Result>): SharedRun<Result> {
    const runs = this.#runs;
    const run = new SharedRun(work, this.#isExtended, () => {
      if (runs.get(key) === run) runs.delete(key);
    });
    runs.set(key, run);
    return run;
  }

  /** Prevents callers from joining the runs started so far. */
  detach(): void {
    this.#runs = new EphemeralMap();
  }
}

export class SharedRun<Result> {
  /** Ends when nobody waits any more. */
  readonly deadline = new DeadlineController(() => this.#until);
  readonly #work: (deadline: DeadlineController) => Promise<Result>;
  readonly #isExtended: boolean;
  readonly #forget: () => void;
  #result: Promise<Result> | undefined;
  #waiters = 0;
  #until = 0;

  constructor(
    work: (deadline: DeadlineController) => Promise<Result>,
    isExtended: boolean,
    forget: () => void,
  ) {
    this.#work = work;
    this.#isExtended = isExtended;
    this.#forget = forget;
  }

  /** Waits for the result. `waiter` is the caller's deadline; null without one. */
  wait(waiter: Deadline | null, onLate: OnLate<Result>): Promise<Result> {
    if (this.#waiters === 0 || this.#isExtended)
      this.#until = Math.max(this.#until, waiter?.at ?? Number.POSITIVE_INFINITY);
    this.#waiters += 1;
    this.#result ??= this.#work(this.deadline);
    const result = this.#result;
    return new Promise((resolve, reject) => {
      const unsubscribe = waiter?.onExpire(() => onLate(this, resolve, reject));
      result.then(
        (value) => {
          this.#forget();
          unsubscribe?.();
          resolve(value);
        },
        (error) => {
          this.#forget();
          unsubscribe?.();
          reject(error);
        },
      );
    });
  }

  /** Undoes one `wait`. Undoing the last one ends the run. */
  leave(): void {
    this.#waiters -= 1;
    if (this.#waiters > 0) return;
    // Forget the run before its deadline ends, so that nobody joins a run that is being aborted.
    this.#forget();
    this.deadline.end();
  }
}
