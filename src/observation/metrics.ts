import type { OperationTypeNode } from 'graphql';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { ErrorCode, UpstreamName } from '../errors.ts';
import type { AttemptResult, CallKind, UpstreamObserver, UpstreamState } from '../http/call.ts';
import type { ShedReason } from '../server/load/shedding.ts';
import type { OperationOutcome, ServerObserver, ServerState } from '../server/observer.ts';
import { createCachedByName, createInstruments, type Instruments } from './instruments.ts';

/** The Prometheus metrics of one server. No label value comes from an upstream or a caller. */
export interface Metrics extends GraphMetrics, ServerObserver {
  forUpstream(upstream: UpstreamName): UpstreamObserver;
}

/** `isRedisConnected` is null without `REDIS_URL`. */
export function createMetrics(isRedisConnected: (() => boolean) | null): Metrics {
  const registry = new Registry();
  const tallies = createInstruments(registry);
  const ofProcess = getProcessRegistry();
  const ofGraph = createGraphMetrics(tallies);
  const ofUpstreams = createUpstreamMetrics(tallies);
  tallies.gauge(
    'tributary_redis_connected',
    'Whether Redis responds and accepts writes: 1 or 0. Absent without `REDIS_URL`.',
    () => (isRedisConnected ? [{ labels: {}, value: Number(isRedisConnected()) }] : []),
  );
  return {
    ...ofGraph,
    forUpstream: ofUpstreams,
    metricsContentType: registry.contentType,
    renderMetrics: async () => `${await registry.metrics()}\n${await ofProcess.metrics()}`,
  };
}

let processRegistry: Registry | undefined;

// Shared by all servers in a process: the default collectors describe the process and cannot be stopped.
function getProcessRegistry(): Registry {
  if (processRegistry) return processRegistry;
  processRegistry = new Registry();
  collectDefaultMetrics({ register: processRegistry });
  return processRegistry;
}

/** Metrics of the graph: operations, rejected requests and load. */
export interface GraphMetrics extends Pick<ServerObserver, 'observeState' | 'requestShed'> {
  recordOperation(kind: `${OperationTypeNode}`, outcome: OperationOutcome['code'], ms: number): void;
  /** A subscription has started; call the returned function when it ends. */
  subscribed(): () => void;
  countRefusal(code: ErrorCode): void;
}

const operationDurationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

function createGraphMetrics({ counter, histogram, gauge }: Instruments): GraphMetrics {
  let readState: () => ServerState = () => ({
    requestsInFlight: 0,
    sockets: 0,
    eventStreams: 0,
    loopDelayMs: 0,
  });
  let subscriptions = 0;
  const singleGauge = (name: string, help: string, read: () => number) =>
    gauge(name, help, () => [{ labels: {}, value: read() }]);

  const operations = counter<'kind' | 'outcome'>(
    'tributary_operations_total',
    'Operations executed, including each subscription event, by the code of their first error or user error, or OK.',
  );
  const durations = histogram<'kind'>(
    'tributary_operation_duration_seconds',
    'Duration of operations, from the guard to the result.',
    operationDurationBuckets,
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
  singleGauge('tributary_sockets', 'Open WebSockets.', () => readState().sockets);
  singleGauge('tributary_event_streams', 'Open event streams.', () => readState().eventStreams);
  singleGauge(
    'tributary_event_loop_delay_seconds',
    'Event-loop delay: the lower one of the last two half-second intervals.',
    () => readState().loopDelayMs / 1_000,
  );
  singleGauge('tributary_subscriptions', 'Active subscriptions.', () => subscriptions);

  const createForKind = (kind: string) => ({
    ended: createCachedByName(['OK'], (outcome: OperationOutcome['code']) => operations({ kind, outcome })),
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

const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const;
type StatusClass = (typeof statusClasses)[number];
const failureCodes = [
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_BAD_RESPONSE',
] as const satisfies readonly ErrorCode[];

const callDurationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const waitBuckets = [0.001, 0.01, 0.1, 0.5, 1, 5, 30];

/** Creates an observer per upstream that counts its calls. */
export function createUpstreamMetrics(tallies: Instruments): (upstream: UpstreamName) => UpstreamObserver {
  const { counter, histogram } = tallies;
  const states = new Map<UpstreamName, () => UpstreamState>();
  const gauge = (name: string, help: string, read: (state: UpstreamState) => number | null) =>
    tallies.gauge(name, help, () =>
      [...states].flatMap(([upstream, state]) => {
        const value = read(state());
        return value === null ? [] : [{ labels: { upstream }, value }];
      }),
    );

  const calls = counter<'upstream' | 'kind' | 'outcome'>(
    'tributary_upstream_calls_total',
    'Attempts of upstream calls, by outcome: the status class, or an error code without a valid response.',
  );
  const seconds = histogram<'upstream' | 'kind'>(
    'tributary_upstream_call_duration_seconds',
    'Duration of an attempt, from sending to the last byte of the response.',
    callDurationBuckets,
  );
  const parts = histogram<'upstream' | 'kind'>(
    'tributary_upstream_batch_parts',
    'Parts per batch.',
    [5, 10, 25, 50, 100],
  );
  const partsRefused = counter<'upstream' | 'outcome'>(
    'tributary_upstream_parts_refused_total',
    'Rejected parts of successful batches, by status class.',
  );
  const keys = histogram<'upstream'>(
    'tributary_upstream_read_keys',
    'Keys per combined read, alone or as a part of a batch.',
    [1, 5, 10, 25, 50, 100, 150],
  );
  const retries = counter<'upstream' | 'kind'>(
    'tributary_upstream_retries_total',
    'Retries of upstream calls.',
  );
  const waits = histogram<'upstream'>(
    'tributary_upstream_wait_seconds',
    'Time that calls waited for the rate limiter.',
    waitBuckets,
  );
  const heldBack = counter<'upstream' | 'code'>(
    'tributary_upstream_held_back_total',
    'Calls that failed before they were sent: queue timeout, no token or none in time, or an open circuit breaker.',
  );
  const throttled = counter<'upstream'>(
    'tributary_upstream_throttled_total',
    'Throttling responses (429, or 502 and 503 with `Retry-After`).',
  );
  const paced = counter<'upstream'>(
    'tributary_upstream_paced_total',
    'Calls that waited for the quota of their caller.',
  );
  const openings = counter<'upstream'>(
    'tributary_upstream_breaker_openings_total',
    'Openings of the circuit breaker.',
  );
  gauge('tributary_upstream_breaker_open', 'Whether the circuit breaker is open: 1 or 0.', (state) =>
    Number(state.isBreakerOpen),
  );
  gauge('tributary_upstream_calls_in_flight', 'Calls in flight.', (state) => state.inFlight);
  gauge('tributary_upstream_calls_waiting', 'Calls waiting for the rate limiter.', (state) => state.waiting);
  gauge('tributary_upstream_paused_callers', 'Callers paused by throttling.', (state) => state.pausedCallers);
  gauge(
    'tributary_upstream_paced_callers',
    'Callers whose calls wait for their quota.',
    (state) => state.pacedCallers,
  );
  gauge(
    'tributary_upstream_quota_remaining',
    'Calls that the caller with the least quota left may send at once. Absent without a quota.',
    (state) => state.leastQuota,
  );
  gauge('tributary_upstream_retry_budget', 'Remaining retry budget, of 500.', (state) => state.retryBudget);

  return (upstream) => {
    const createKindInstruments = (kind: CallKind) => ({
      countOutcome: createCachedByName(
        [...statusClasses, ...failureCodes],
        (outcome: StatusClass | ErrorCode) => calls({ upstream, kind, outcome }),
      ),
      observeSeconds: seconds({ upstream, kind }),
      countRetry: retries({ upstream, kind }),
    });
    const byKind = {
      read: createKindInstruments('read'),
      write: createKindInstruments('write'),
      poll: createKindInstruments('poll'),
    };
    const countHeldBack = createCachedByName(
      ['UPSTREAM_THROTTLED', 'UPSTREAM_UNAVAILABLE'],
      (code: ErrorCode) => heldBack({ upstream, code }),
    );
    const observeWait = waits({ upstream });
    // Created on first use: most upstreams never need them.
    const observeParts = createCachedByName([], (kind: CallKind) => parts({ upstream, kind }));
    const countRejectedParts = createCachedByName([], (outcome: StatusClass) =>
      partsRefused({ upstream, outcome }),
    );
    const observeKeys = createCachedByName([], (name: UpstreamName) => keys({ upstream: name }));

    return {
      registerState: (state) => void states.set(upstream, state),
      onAttemptEnd({ kind = 'read', keys, parts }, end, ms) {
        const { countOutcome, observeSeconds } = byKind[kind];
        countOutcome(getOutcomeLabel(end))();
        observeSeconds(ms / 1_000);
        if (keys !== undefined) observeKeys(upstream)(keys);
        if (!parts) return;
        observeParts(kind)(parts.length);
        for (const part of parts) if (part.keys !== undefined) observeKeys(upstream)(part.keys);
      },
      onPartRejected: (status) => countRejectedParts(getStatusClass(status))(),
      onTurn: (ms) => observeWait(ms / 1_000),
      onRetry: ({ kind = 'read' }) => byKind[kind].countRetry(),
      onLocalFailure: (code) => countHeldBack(code)(),
      onThrottled: throttled({ upstream }),
      onPaced: paced({ upstream }),
      onBreakerOpen: openings({ upstream }),
    };
  };
}

const getStatusClass = (status: number): StatusClass => statusClasses[Math.floor(status / 100) - 2] ?? '4xx';

// A successful status with an invalid body counts as its error code.
const getOutcomeLabel = ({ status, code }: AttemptResult): StatusClass | ErrorCode =>
  status !== null && (code === null || status >= 300)
    ? getStatusClass(status)
    : (code ?? 'INTERNAL_SERVER_ERROR');
