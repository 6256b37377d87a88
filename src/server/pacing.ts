import type { Deadline } from '../upstream/deadline.ts';
import { createUtilization } from '../upstream/utilization.ts';
import { callerKeyOf } from './caller-key.ts';

type Identity = Parameters<typeof callerKeyOf>[0];

/** Lets queries begin: all at once while there is time, some after others while there is none. */
export interface Pacing {
  /**
   * What is to be called once when a query has ended: at once where it may begin, else when it may, or nobody waits for
   * it any more. `rows` is how many it may read; callers take turns.
   */
  enter(rows: number, deadline: Deadline, caller: Identity): (() => void) | Promise<() => void>;
}

interface Waiting {
  readonly weight: number;
  begin(): void;
}

/** The queries of one caller that wait, in the order in which they came. */
interface Queue {
  readonly callerKey: string;
  readonly waiting: Waiting[];
}

const busy = 0.9;
// In rows that those on their way may read. With less there would be too little to do between two answers.
const fewest = 1_600;
// What reads more counts as this: four of the largest go at once, too.
const heaviest = 400;
const [less, more] = [0.7, 1.5];
// Longer than a burst of answers that have come together.
const lookEveryMs = 200;

const nothing = () => {};

/**
 * What has begun holds what was read for it, and the collector copies that again and again. While the event loop has no
 * time left, more at once makes nothing faster: at four times as many clients each query took three times the work
 * (docs/decisions/0027-speed.md). So fewer begin then, and the more while it has some: where upstreams are slow, all do.
 *
 * Callers have turns (round robin), so that nobody waits for all that another has sent before.
 */
export function createPacing(utilization = createUtilization(lookEveryMs)): Pacing {
  // By whose turn is next. No `Set`, as entries come and go (upstream/passing.ts).
  const queues: Queue[] = [];
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
      if (queues.length > 0) advance();
    };
  };
  const queueOf = (callerKey: string): Queue => {
    const known = queues.find((queue) => queue.callerKey === callerKey);
    if (known) return known;
    const queue = { callerKey, waiting: [] };
    queues.push(queue);
    return queue;
  };
  const leave = (queue: Queue, next: Waiting) => {
    queue.waiting.splice(queue.waiting.indexOf(next), 1);
    queues.splice(queues.indexOf(queue), 1);
    if (queue.waiting.length > 0) queues.push(queue);
  };
  const advance = () => {
    look();
    for (let next = queues[0]?.waiting[0]; next && mayBegin(next.weight); next = queues[0]?.waiting[0])
      next.begin();
    // Those that have begun may all wait for a slow upstream.
    if (queues.length === 0 || willLook) return;
    willLook = true;
    setTimeout(lookAgain, lookEveryMs);
  };
  const lookAgain = () => {
    willLook = false;
    advance();
  };

  return {
    enter(rows, deadline, caller) {
      // It reads nothing.
      if (rows === 0) return nothing;
      look();
      const weight = Math.min(rows, heaviest);
      if (deadline.isOver || (queues.length === 0 && mayBegin(weight))) return begin(weight);
      return new Promise((resolve) => {
        const queue = queueOf(callerKeyOf(caller));
        const next = {
          weight,
          begin() {
            stay();
            leave(queue, next);
            resolve(begin(weight));
          },
        };
        queue.waiting.push(next);
        const stay = deadline.onOver(next.begin);
        advance();
      });
    },
  };
}
