import type { Deadline } from '../../runtime/deadline.ts';
import { createUtilizationMeter } from '../../runtime/event-loop-utilization.ts';

/** Adaptive concurrency limit for queries, driven by event-loop utilization. */
export interface AdaptiveConcurrency {
  /**
   * Waits until the query may start, or until its deadline. Returns the function to call when it has ended;
   * without a promise if it may start at once. `rows` is the maximum number of rows it reads.
   */
  acquire(rows: number, deadline: Deadline, callerKey: string): (() => void) | Promise<() => void>;
}

interface QueuedQuery {
  readonly weight: number;
  start(): void;
}

/** Waiting queries of one caller, in order of arrival. */
interface QueriesOfCaller {
  readonly callerKey: string;
  readonly waiting: QueuedQuery[];
}

const busyUtilization = 0.9;
// Lower bound of the limit, in rows. With fewer, the process would idle between upstream responses.
const minRunningRows = 1_600;
// Upper bound of one query's weight, so that four of the largest can always run together.
const maxQueryWeight = 400;
const decreaseFactor = 0.7;
const increaseFactor = 1.5;
// Longer than a burst of responses that arrive together.
const utilizationIntervalMs = 200;

const releaseNothing = () => {};

/**
 * A running query holds the rows read for it, and the garbage collector copies them repeatedly. When the
 * event loop is saturated, more concurrency only adds work: with four times as many clients, each query took
 * three times the work (docs/decisions/0027-speed.md). So the limit decreases multiplicatively while
 * utilization is above 90 %, and increases multiplicatively otherwise. With slow upstreams the event loop
 * idles and every query starts at once.
 *
 * Callers take turns (round robin), so that none waits for everything another sent before.
 */
export function createAdaptiveConcurrency(
  utilization = createUtilizationMeter(utilizationIntervalMs),
): AdaptiveConcurrency {
  // The caller whose turn is next comes first. An array, since V8 keeps removed entries of a `Set` alive
  // (runtime/ephemeral-map.ts).
  const queues: QueriesOfCaller[] = [];
  let running = 0;
  let limit = Number.POSITIVE_INFINITY;
  let isCheckScheduled = false;

  const adjustLimit = () => {
    const busyShare = utilization();
    if (busyShare === null) return;
    limit =
      busyShare > busyUtilization
        ? Math.max(minRunningRows, decreaseFactor * Math.min(limit, running))
        : increaseFactor * Math.max(limit, running);
  };
  const canStart = (weight: number) => running + weight <= limit;
  const start = (weight: number) => {
    running += weight;
    return () => {
      running -= weight;
      if (queues.length > 0) startNext();
    };
  };
  const queueOf = (callerKey: string): QueriesOfCaller => {
    const known = queues.find((queue) => queue.callerKey === callerKey);
    if (known) return known;
    const queue = { callerKey, waiting: [] };
    queues.push(queue);
    return queue;
  };
  const removeFromQueue = (queue: QueriesOfCaller, next: QueuedQuery) => {
    queue.waiting.splice(queue.waiting.indexOf(next), 1);
    queues.splice(queues.indexOf(queue), 1);
    if (queue.waiting.length > 0) queues.push(queue);
  };
  const startNext = () => {
    adjustLimit();
    for (let next = queues[0]?.waiting[0]; next && canStart(next.weight); next = queues[0]?.waiting[0])
      next.start();
    // Check again later: all running queries may be waiting for a slow upstream.
    if (queues.length === 0 || isCheckScheduled) return;
    isCheckScheduled = true;
    setTimeout(checkAgain, utilizationIntervalMs);
  };
  const checkAgain = () => {
    isCheckScheduled = false;
    startNext();
  };

  return {
    acquire(rows, deadline, callerKey) {
      if (rows === 0) return releaseNothing;
      adjustLimit();
      const weight = Math.min(rows, maxQueryWeight);
      if (deadline.isExpired || (queues.length === 0 && canStart(weight))) return start(weight);
      return new Promise((resolve) => {
        const queue = queueOf(callerKey);
        const next = {
          weight,
          start() {
            unsubscribe();
            removeFromQueue(queue, next);
            resolve(start(weight));
          },
        };
        queue.waiting.push(next);
        const unsubscribe = deadline.onExpire(next.start);
        startNext();
      });
    },
  };
}
