import { type Deadline, DeadlineController } from './deadline.ts';

// Fewer insertions than this are not worth a new table.
const minRebuildCount = 64;

/**
 * A map for short-lived entries. A `Map` whose entries come and go replaces its hash table again and again; each old table
 * points to the next, so that deleted entries stay reachable until a full garbage collection. This map copies its entries to
 * a new `Map` before the table is replaced. A table that has reached the old generation may still hold an entry, so the
 * table holds a slot only, and `delete` clears the slot.
 */
export class EphemeralMap<Value> {
  #slots = new Map<string, Slot<Value>>();
  #insertions = 0;

  get(name: string): Value | undefined {
    return this.#slots.get(name)?.value;
  }

  set(name: string, value: Value): void {
    this.#insertions += 1;
    if (this.#insertions > Math.max(minRebuildCount, this.#slots.size)) {
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
 * Decides about a waiter whose deadline expires before the result is there. Either settles its promise and calls
 * `run.leave()`, or lets it wait on.
 */
export type OnLate<Result> = (
  run: SharedRun<Result>,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
) => void;

interface SingleFlightOptions {
  /** Whose deadline a run has: that of its first waiter, or the latest of all. */
  readonly until: 'first' | 'latest';
}

/**
 * Runs identical work once: callers that ask for the key of an unfinished run can wait for its result. Nothing is kept
 * after the end of a run.
 */
export class SingleFlight<Result> {
  readonly #isExtended: boolean;
  #runs = new EphemeralMap<SharedRun<Result>>();

  constructor({ until }: SingleFlightOptions) {
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

  /** Lets nobody join the runs started so far. */
  detach(): void {
    this.#runs = new EphemeralMap();
  }
}

/** Work that several callers wait for. */
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

  /** Waits for the result. A waiter of null has no deadline. */
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

  /** Takes back one `wait`. The last one ends the run. */
  leave(): void {
    this.#waiters -= 1;
    if (this.#waiters > 0) return;
    // Before the deadline ends: nobody may join a run that is being aborted.
    this.#forget();
    this.deadline.end();
  }
}
