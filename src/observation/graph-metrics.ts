import type { OperationTypeNode } from 'graphql';
import type { ErrorCode } from '../errors.ts';
import type { Outcome, ServerObserver, ServerState } from '../server/observer.ts';
import type { ShedReason } from '../server/shedding.ts';
import { byName, type Tallies } from './tallies.ts';

/** What is counted of the graph: operations, what is refused, and how much there is to do. */
export interface GraphMetrics extends Pick<ServerObserver, 'follow' | 'shed'> {
  operation(kind: `${OperationTypeNode}`, outcome: Outcome, ms: number): void;
  /** A subscription runs; what is returned is told of its end. */
  subscribed(): () => void;
  /** Code was generated for an operation. */
  compiled(): void;
  refused(code: ErrorCode): void;
}

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createGraphMetrics({ counter, histogram, gauge }: Tallies): GraphMetrics {
  let look: () => ServerState = () => ({
    requestsInFlight: 0,
    requestsWaiting: 0,
    sockets: 0,
    eventStreams: 0,
    loopDelayMs: 0,
  });
  let subscriptions = 0;
  const only = (name: string, help: string, read: () => number) =>
    gauge(name, help, () => [{ labels: {}, value: read() }]);

  const operations = counter<'kind' | 'outcome'>(
    'tributary_operations_total',
    'Operations that were carried out, of subscriptions every event, by the code of their first error, or OK.',
  );
  const durations = histogram<'kind'>(
    'tributary_operation_duration_seconds',
    'How long an operation took, from the guard to its result.',
    seconds,
  );
  const compiled = counter(
    'tributary_compiled_operations_total',
    'Operations that code was generated for. Documents that differ only in values share one.',
  );
  const refusals = counter<'code'>(
    'tributary_refusals_total',
    'Requests that the guard did not let through, by code.',
  );
  const shed = counter<'reason'>(
    'tributary_shed_requests_total',
    'Requests that were refused with OVERLOADED, by the limit they did not fit: `requests`, `event_loop`, `caller` or `upstream`.',
  );
  only(
    'tributary_requests_in_flight',
    'Requests that are worked on or answered now.',
    () => look().requestsInFlight,
  );
  only(
    'tributary_requests_waiting',
    'Requests that wait for a rate limit or a throttled upstream, and hold no place.',
    () => look().requestsWaiting,
  );
  only('tributary_sockets', 'WebSockets that are open.', () => look().sockets);
  only('tributary_event_streams', 'Event streams that are open.', () => look().eventStreams);
  only(
    'tributary_event_loop_delay_seconds',
    'How late the event loop was in each of the last two half-seconds, at least.',
    () => look().loopDelayMs / 1_000,
  );
  only('tributary_subscriptions', 'Subscriptions that run.', () => subscriptions);

  const ofKind = (kind: string) => ({
    ended: byName(['OK'], (outcome: Outcome) => operations({ kind, outcome })),
    took: durations({ kind }),
  });
  const of = { query: ofKind('query'), mutation: ofKind('mutation'), subscription: ofKind('subscription') };
  const shedFor = byName(['requests', 'event_loop', 'caller', 'upstream'], (reason: ShedReason) =>
    shed({ reason }),
  );
  const refused = byName(['BAD_USER_INPUT', 'UNAUTHENTICATED'], (code: ErrorCode) => refusals({ code }));

  return {
    follow(state) {
      look = state;
    },
    shed: (reason) => shedFor(reason)(),
    compiled: compiled({}),
    operation(kind, outcome, ms) {
      of[kind].ended(outcome)();
      of[kind].took(ms / 1_000);
    },
    subscribed() {
      subscriptions += 1;
      return () => {
        subscriptions -= 1;
      };
    },
    refused: (code) => refused(code)(),
  };
}
