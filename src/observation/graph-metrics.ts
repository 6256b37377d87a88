import type { OperationTypeNode } from 'graphql';
import type { ErrorCode } from '../errors.ts';
import type { ShedReason } from '../server/load/shed-reasons.ts';
import type { OperationOutcome, ServerObserver, ServerState } from '../server/observer.ts';
import { createCachedByName, type Instruments } from './instruments.ts';

/** Metrics of the graph: operations, rejected requests and load. */
export interface GraphMetrics extends Pick<ServerObserver, 'observeState' | 'requestShed'> {
  recordOperation(kind: `${OperationTypeNode}`, outcome: OperationOutcome, ms: number): void;
  /** A subscription has started; call the returned function when it ends. */
  subscribed(): () => void;
  /** An operation was compiled. */
  compiled(): void;
  countRefusal(code: ErrorCode): void;
}

const operationDurationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createGraphMetrics({ counter, histogram, gauge }: Instruments): GraphMetrics {
  let readState: () => ServerState = () => ({
    requestsInFlight: 0,
    requestsWaiting: 0,
    sockets: 0,
    eventStreams: 0,
    loopDelayMs: 0,
  });
  let subscriptions = 0;
  const singleGauge = (name: string, help: string, read: () => number) =>
    gauge(name, help, () => [{ labels: {}, value: read() }]);

  const operations = counter<'kind' | 'outcome'>(
    'tributary_operations_total',
    'Operations executed, including each subscription event, by the code of their first error, or OK.',
  );
  const durations = histogram<'kind'>(
    'tributary_operation_duration_seconds',
    'Duration of operations, from the guard to the result.',
    operationDurationBuckets,
  );
  const compiled = counter(
    'tributary_compiled_operations_total',
    'Operations compiled to JavaScript. Documents that differ only in literal values share one.',
  );
  const refusals = counter<'code'>(
    'tributary_refusals_total',
    'Requests rejected by the guard, by error code.',
  );
  const shed = counter<'reason'>(
    'tributary_shed_requests_total',
    'Requests and connections rejected with OVERLOADED, by the limit that was reached: `requests`, `event_loop`, `caller`, `upstream` or `connections`.',
  );
  singleGauge('tributary_requests_in_flight', 'Requests in flight.', () => readState().requestsInFlight);
  singleGauge(
    'tributary_requests_waiting',
    'Requests waiting without a slot: for a rate limit, a throttled upstream or the result of another request.',
    () => readState().requestsWaiting,
  );
  singleGauge('tributary_sockets', 'Open WebSockets.', () => readState().sockets);
  singleGauge('tributary_event_streams', 'Open event streams.', () => readState().eventStreams);
  singleGauge(
    'tributary_event_loop_delay_seconds',
    'Event-loop delay: the lower one of the last two half-second intervals.',
    () => readState().loopDelayMs / 1_000,
  );
  singleGauge('tributary_subscriptions', 'Active subscriptions.', () => subscriptions);

  const createForKind = (kind: string) => ({
    ended: createCachedByName(['OK'], (outcome: OperationOutcome) => operations({ kind, outcome })),
    took: durations({ kind }),
  });
  const byKind = {
    query: createForKind('query'),
    mutation: createForKind('mutation'),
    subscription: createForKind('subscription'),
  };
  const shedFor = createCachedByName(
    ['requests', 'event_loop', 'caller', 'upstream', 'connections'],
    (reason: ShedReason) => shed({ reason }),
  );
  const refused = createCachedByName(['BAD_USER_INPUT', 'UNAUTHENTICATED'], (code: ErrorCode) =>
    refusals({ code }),
  );

  return {
    observeState(state) {
      readState = state;
    },
    requestShed: (reason) => shedFor(reason)(),
    compiled: compiled({}),
    recordOperation(kind, outcome, ms) {
      byKind[kind].ended(outcome)();
      byKind[kind].took(ms / 1_000);
    },
    subscribed() {
      subscriptions += 1;
      return () => {
        subscriptions -= 1;
      };
    },
    countRefusal: (code) => refused(code)(),
  };
}
