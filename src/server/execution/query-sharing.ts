import type { ExecutionResult } from 'graphql';
import { type Deadline, startDeadline } from '../../runtime/deadline.ts';
import type { OnLate, SharedRun } from '../../runtime/single-flight.ts';
import type { SerializedResponse } from './serialized-response.ts';

export interface SharedQueryResult {
  readonly result: ExecutionResult;
  /** Null if the result has errors, since each request gets its own request id in them. */
  readonly response: SerializedResponse | null;
}

/** A query that is executed once, until the deadline of the request that started it. Null for a request that left. */
export type SharedQuery = SharedRun<SharedQueryResult | null>;

// Timers may fire slightly early.
const timerToleranceMs = 10;

/** Whether a request with this deadline may join: the query has at least half of the request's time left. */
export function canJoin(query: SharedQuery, deadline: Deadline): boolean {
  const now = performance.now();
  return !query.deadline.isExpired && query.deadline.at - now >= (deadline.at - now) / 2;
}

/** At the query's own deadline a request waits for what has been read so far; before that it leaves with null. */
export const leaveQuery: OnLate<SharedQueryResult | null> = (query, waiter, resolve) => {
  if (performance.now() + timerToleranceMs >= query.deadline.at) return query.deadline.end();
  query.leave();
  resolve(null);
  if (waiter.at !== query.deadline.at || query.deadline.isExpired) return;
  // The first request has gone, and its timer with it: the others keep the time that it had left.
  const rest = startDeadline(query.deadline.at - performance.now());
  rest.onExpire(() => query.deadline.end());
  query.deadline.onExpire(() => rest.end());
};
