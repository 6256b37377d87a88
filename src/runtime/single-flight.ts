import { type Deadline, DeadlineController } from './deadline.ts';
import { EphemeralMap } from './ephemeral-map.ts';

/**
 * Decides about a waiter whose deadline expires before the result is there. Either settles its promise and calls
 * `run.leave()`, or lets it wait on.
 */
export type OnLate<Result> = (
  run: SharedRun<Result>,
  waiter: Deadline,
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
      const unsubscribe = waiter?.onExpire(() => onLate(this, waiter, resolve, reject));
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
