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

/** What comes to an end once, and tells who wants to know. */
export interface Ending extends Pick<Deadline, 'isOver' | 'onOver'> {
  end(): void;
}

export function createEnding(): Ending {
  const acts = new Set<() => void>();
  let isOver = false;
  return {
    get isOver() {
      return isOver;
    },
    onOver(act) {
      if (isOver) act();
      else acts.add(act);
      return () => void acts.delete(act);
    },
    end() {
      if (isOver) return;
      isOver = true;
      for (const act of acts) act();
      acts.clear();
    },
  };
}

/** In so many milliseconds, but within another deadline. `end` has to be called when it is of no use any more. */
export function startDeadline(ms: number, within?: Deadline): Deadline & { end(): void } {
  const ending = createEnding();
  const end = () => {
    clearTimeout(timer);
    leave?.();
    ending.end();
  };
  const timer = setTimeout(end, ms);
  const latest = performance.now() + ms;
  const leave = within?.onOver(() => {
    clearTimeout(timer);
    ending.end();
  });
  return {
    get at() {
      return within ? Math.min(latest, within.at) : latest;
    },
    get isOver() {
      return ending.isOver;
    },
    onOver: ending.onOver,
    end,
  };
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
  const ending = createEnding();
  let left = deadlines.length;
  const leave = () => {
    left -= 1;
    if (left === 0) ending.end();
  };
  for (const deadline of deadlines) deadline.onOver(leave);
  return {
    get at() {
      return Math.max(...deadlines.map(({ at }) => at));
    },
    get isOver() {
      return ending.isOver;
    },
    onOver: ending.onOver,
  };
}
