import type { Deadline } from '../upstream/deadline.ts';
import { createUtilization } from '../upstream/utilization.ts';

/** Lets queries begin: all at once while there is time, some after others while there is none. */
export interface Pacing {
  /**
   * What is to be called once when a query has ended: at once where it may begin, else when it may, or nobody waits for
   * it any more. `rows` is how many it may read.
   */
  enter(rows: number, deadline: Deadline): (() => void) | Promise<() => void>;
}

const busy = 0.9;
// In rows that those on their way may read. With less there would be too little to do between two answers.
const fewest = 1_600;
// What reads more counts as this: four of the largest go at once, too.
const heaviest = 400;
const [less, more] = [0.7, 1.5];
// Longer than a burst of answers that have come together.
const lookEveryMs = 200;

/**
 * What has begun holds what was read for it, and the collector copies that again and again. While the event loop has no
 * time left, more at once makes nothing faster: at four times as many clients each query took three times the work
 * (docs/decisions/0027-speed.md). So fewer begin then, and the more while it has some: where upstreams are slow, all do.
 */
export function createPacing(utilization = createUtilization(lookEveryMs)): Pacing {
  // In the order in which they came. No `Set`, as entries come and go (upstream/passing.ts).
  const waiting: { readonly weight: number; begin(): void }[] = [];
  let running = 0;
  let most = Number.POSITIVE_INFINITY;
  let willLook = false;

  const look = () => {
    const used = utilization();
    if (used === null) return;
    most = used > busy ? Math.max(fewest, less * Math.min(most, running)) : more * Math.max(most, running);
  };
  const mayBegin = (weight: number) => running + weight <= most;
  const begin = (weight: number) => {
    running += weight;
    return () => {
      running -= weight;
      if (waiting.length > 0) advance();
    };
  };
  const advance = () => {
    look();
    for (let next = waiting[0]; next && mayBegin(next.weight); next = waiting[0]) next.begin();
    // Those that have begun may all wait for a slow upstream.
    if (waiting.length === 0 || willLook) return;
    willLook = true;
    setTimeout(lookAgain, lookEveryMs);
  };
  const lookAgain = () => {
    willLook = false;
    advance();
  };

  return {
    enter(rows, deadline) {
      look();
      const weight = Math.min(rows, heaviest);
      const isFirst = waiting.length === 0;
      if (deadline.isOver || (isFirst && mayBegin(weight))) return begin(weight);
      return new Promise((resolve) => {
        const next = {
          weight,
          begin() {
            stay();
            waiting.splice(waiting.indexOf(next), 1);
            resolve(begin(weight));
          },
        };
        waiting.push(next);
        const stay = deadline.onOver(next.begin);
        advance();
      });
    },
  };
}
