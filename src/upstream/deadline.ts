import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Until when somebody waits for an answer, and whether they still do. */
export interface Deadline {
  /** On the clock of `performance.now()`. It may get later, when others wait for the same. */
  readonly at: number;
  /** Aborts at that time with a `TimeoutError`, or before with an `AbortError`, when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** In so many milliseconds, but within another deadline. `end` has to be called when it is of no use any more. */
export function startDeadline(ms: number, within?: Deadline): Deadline & { end(): void } {
  const controller = new AbortController();
  const { signal } = controller;
  // One operation may wait for many answers.
  setMaxListeners(0, signal);
  const end = () => {
    clearTimeout(timer);
    within?.signal.removeEventListener('abort', end);
    controller.abort();
  };
  const timer = setTimeout(() => controller.abort(new DOMException('', 'TimeoutError')), ms);
  within?.signal.addEventListener('abort', end);
  if (within?.signal.aborted) end();
  const latest = performance.now() + ms;
  return {
    get at() {
      return Math.min(latest, within?.at ?? latest);
    },
    signal,
    end,
  };
}

/** Waits so long. False, at once, where that is longer than there is time, or as soon as nobody waits any more. */
export async function pause(ms: number, { at, signal }: Deadline): Promise<boolean> {
  if (performance.now() + ms > at) return false;
  return sleep(ms, true, { signal }).catch(() => false);
}

/** That of what is waited for until all of these have passed. */
export function lastOf(deadlines: readonly Deadline[]): Deadline {
  const all = new AbortController();
  // As many may wait for it as there are deadlines.
  setMaxListeners(0, all.signal);
  let left = deadlines.length;
  const leave = () => {
    left -= 1;
    if (left === 0) all.abort();
  };
  for (const { signal } of deadlines) {
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  }
  return {
    get at() {
      return Math.max(...deadlines.map(({ at }) => at));
    },
    signal: all.signal,
  };
}
