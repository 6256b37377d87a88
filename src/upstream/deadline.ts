/**
 * Until when somebody waits for an answer, and whether they still do. Not an `AbortSignal`: every call has three, and
 * making and ending those takes longer than sending it.
 */
export interface Deadline {
  /** On the clock of `performance.now()`. It may get later, when others wait for the same. */
  readonly at: number;
  /** Whether that time has come, or nobody waits any more. */
  readonly isOver: boolean;
  /** Calls `act` when it is over; at once where it is. Returns how to take that back. */
  onOver(act: () => void): () => void;
}

/**
 * A deadline that can be told to come, too. A class, since V8 makes a new shape for every object literal with a getter:
 * shapes are old from the start, and everything a call has made would live on behind its getter.
 */
export class Ending implements Deadline {
  isOver = false;
  readonly #until: () => number;
  #acts: Set<() => void> | undefined;

  constructor(until: () => number) {
    this.#until = until;
  }

  get at(): number {
    return this.#until();
  }

  onOver(act: () => void): () => void {
    if (this.isOver) act();
    else this.#actsSoFar().add(act);
    return () => void this.#acts?.delete(act);
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const act of this.#acts ?? []) act();
    this.#acts = undefined;
  }

  #actsSoFar(): Set<() => void> {
    this.#acts ??= new Set();
    return this.#acts;
  }
}

/** In so many milliseconds, but within another deadline. `end` has to be called when it is of no use any more. */
export function startDeadline(ms: number, within?: Deadline): Ending {
  const latest = performance.now() + ms;
  const ending = new Ending(within ? () => Math.min(latest, within.at) : () => latest);
  const end = () => ending.end();
  const timer = setTimeout(end, ms);
  const leave = within?.onOver(end);
  ending.onOver(() => {
    clearTimeout(timer);
    leave?.();
  });
  return ending;
}

/** Waits so long. False, at once, where that is longer than there is time, or as soon as nobody waits any more. */
export async function pause(ms: number, deadline: Deadline): Promise<boolean> {
  if (performance.now() + ms > deadline.at) return false;
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      stay();
      resolve(true);
    }, ms);
    const stay = deadline.onOver(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

/** That of what is waited for until all of these have passed. */
export function lastOf(deadlines: readonly Deadline[]): Deadline {
  const ending = new Ending(() => Math.max(...deadlines.map(({ at }) => at)));
  let left = deadlines.length;
  const leave = () => {
    left -= 1;
    if (left === 0) ending.end();
  };
  for (const deadline of deadlines) deadline.onOver(leave);
  return ending;
}
