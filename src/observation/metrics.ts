import type { OperationTypeNode } from 'graphql';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ErrorCode, UpstreamName } from '../errors.ts';
import type { AttemptResult, CallKind, UpstreamObserver, UpstreamState } from '../http/call.ts';
import type { ShedReason } from '../server/load/shedding.ts';
import type { OperationOutcome, ServerObserver, ServerState } from '../server/observer.ts';

/** The Prometheus metrics of one server. No label value comes from an upstream or a caller. */
export interface Metrics extends GraphMetrics, ServerObserver {
  forUpstream(upstream: UpstreamName): UpstreamObserver;
}

/** `isRedisConnected` is null without `REDIS_URL`. */
export function createMetrics(isRedisConnected: (() => boolean) | null): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const processMetrics = getProcessRegistry();
  const graphMetrics = createGraphMetrics(registers);
  const forUpstream = createUpstreamMetrics(registers);
  createInstruments(registers).gauge(
    'tributary_redis_connected',
    'Whether Redis responds and accepts writes: 1 or 0. Absent without `REDIS_URL`.',
    () => isRedisConnected && Number(isRedisConnected()),
  );
  return {
    ...graphMetrics,
    forUpstream,
    metricsContentType: registry.contentType,
    renderMetrics: async () => `${await registry.metrics()}\n${await processMetrics.metrics()}`,
  };
}

/** Creates metrics in `registers`. `read` runs at each scrape; null leaves the metric out. */
const createInstruments = (registers: Registry[]) => ({
  counter: <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers }),
  histogram: <Label extends string>(name: string, help: string, buckets: number[], labelNames: Label[]) =>
    new Histogram({ name, help, buckets, labelNames, registers }),
  gauge: (name: string, help: string, read: () => number | null) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const value = read();
        if (value === null) this.remove();
        else this.set(value);
      },
    }),
});

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

const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

// Counters start at 0 for the expected labels, since Prometheus misses the first increment of a new series.

function createGraphMetrics(registers: Registry[]): GraphMetrics {
  let readState: () => ServerState = () => ({
    requestsInFlight: 0,
    sockets: 0,
    eventStreams: 0,
    loopDelayMs: 0,
  });
  const { counter, histogram, gauge } = createInstruments(registers);

  const operations = counter(
    'tributary_operations_total',
    'Operations executed, including each subscription event, by the code of their first error or user error, or OK.',
    ['kind', 'outcome'],
  );
  const durations = histogram(
    'tributary_operation_duration_seconds',
    'Duration of operations, from the guard to the result.',
    durationBuckets,
    ['kind'],
  );
  const refusals = counter('tributary_refusals_total', 'Requests rejected by the guard, by error code.', [
    'code',
  ]);
  const shed = counter(
    'tributary_shed_requests_total',
    'Requests and connections rejected with OVERLOADED, by the limit that was reached: `requests`, `event_loop`, `caller`, `upstream` or `connections`.',
    ['reason'],
  );
  gauge('tributary_requests_in_flight', 'Requests in flight.', () => readState().requestsInFlight);
  gauge('tributary_sockets', 'Open WebSockets.', () => readState().sockets);
  gauge('tributary_event_streams', 'Open event streams.', () => readState().eventStreams);
  gauge(
    'tributary_event_loop_delay_seconds',
    'Event-loop delay: the lower one of the last two half-second intervals.',
    () => readState().loopDelayMs / 1_000,
  );
  let subscriptions = 0;
  gauge('tributary_subscriptions', 'Active subscriptions.', () => subscriptions);

  for (const kind of ['query', 'mutation', 'subscription']) {
    operations.inc({ kind, outcome: 'OK' }, 0);
    durations.zero({ kind });
  }
  operations.inc({ kind: 'mutation', outcome: 'OUTCOME_UNKNOWN' }, 0);
  const reasons: readonly ShedReason[] = ['requests', 'event_loop', 'caller', 'upstream', 'connections'];
  for (const reason of reasons) shed.inc({ reason }, 0);
  for (const code of ['BAD_USER_INPUT', 'UNAUTHENTICATED']) refusals.inc({ code }, 0);

  return {
    observeState(state) {
      readState = state;
    },
    requestShed: (reason) => shed.inc({ reason }),
    recordOperation(kind, outcome, ms) {
      operations.inc({ kind, outcome });
      durations.observe({ kind }, ms / 1_000);
    },
    subscribed() {
      subscriptions += 1;
      return () => {
        subscriptions -= 1;
      };
    },
    countRefusal: (code) => refusals.inc({ code }),
  };
}

const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const;
type StatusClass = (typeof statusClasses)[number];
const failureCodes = [
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_BAD_RESPONSE',
] as const satisfies readonly ErrorCode[];

/** Creates an observer per upstream that counts its calls. */
export function createUpstreamMetrics(registers: Registry[]): (upstream: UpstreamName) => UpstreamObserver {
  const states = new Map<UpstreamName, () => UpstreamState>();
  const { counter, histogram } = createInstruments(registers);
  const gauge = (name: string, help: string, read: (state: UpstreamState) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['upstream'],
      registers,
      collect() {
        this.reset();
        for (const [upstream, state] of states) {
          const value = read(state());
          if (value !== null) this.set({ upstream }, value);
        }
      },
    });
  const calls = counter(
    'tributary_upstream_calls_total',
    'Attempts of upstream calls, by outcome: the status class, or an error code without a valid response.',
    ['upstream', 'kind', 'outcome'],
  );
  const seconds = histogram(
    'tributary_upstream_call_duration_seconds',
    'Duration of an attempt, from sending to the last byte of the response.',
    durationBuckets,
    ['upstream', 'kind'],
  );
  const parts = histogram(
    'tributary_upstream_batch_parts',
    'Parts per batch.',
    [5, 10, 25, 50, 100],
    ['upstream', 'kind'],
  );
  const partsRefused = counter(
    'tributary_upstream_parts_refused_total',
    'Rejected parts of successful batches, by status class.',
    ['upstream', 'outcome'],
  );
  const readKeys = histogram(
    'tributary_upstream_read_keys',
    'Keys per combined read, alone or as a part of a batch.',
    [1, 5, 10, 25, 50, 100, 150],
    ['upstream'],
  );
  const retries = counter('tributary_upstream_retries_total', 'Retries of upstream calls.', [
    'upstream',
    'kind',
  ]);
  const waits = histogram(
    'tributary_upstream_wait_seconds',
    'Time that calls waited for the rate limiter.',
    [0.001, 0.01, 0.1, 0.5, 1, 5, 30],
    ['upstream'],
  );
  const heldBack = counter(
    'tributary_upstream_held_back_total',
    'Calls that failed before they were sent: queue timeout, no token or none in time, or an open circuit breaker.',
    ['upstream', 'code'],
  );
  const throttled = counter(
    'tributary_upstream_throttled_total',
    'Throttling responses (429, or 502 and 503 with `Retry-After`).',
    ['upstream'],
  );
  const paced = counter(
    'tributary_upstream_paced_total',
    'Calls that waited for the quota of their caller.',
    ['upstream'],
  );
  const openings = counter('tributary_upstream_breaker_openings_total', 'Openings of the circuit breaker.', [
    'upstream',
  ]);
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

  return (upstream) => {
    const kinds: readonly CallKind[] = ['read', 'write', 'poll'];
    for (const kind of kinds) {
      for (const outcome of [...statusClasses, ...failureCodes]) calls.inc({ upstream, kind, outcome }, 0);
      seconds.zero({ upstream, kind });
      retries.inc({ upstream, kind }, 0);
    }
    for (const code of ['UPSTREAM_THROTTLED', 'UPSTREAM_UNAVAILABLE']) heldBack.inc({ upstream, code }, 0);
    for (const unlabelled of [throttled, paced, openings]) unlabelled.inc({ upstream }, 0);
    waits.zero({ upstream });

    return {
      registerState: (state) => void states.set(upstream, state),
      onAttemptEnd({ kind = 'read', keys, parts: sentParts = [] }, result, ms) {
        calls.inc({ upstream, kind, outcome: getOutcomeLabel(result) });
        seconds.observe({ upstream, kind }, ms / 1_000);
        if (sentParts.length > 0) parts.observe({ upstream, kind }, sentParts.length);
        for (const count of [keys, ...sentParts.map((part) => part.keys)])
          if (count !== undefined) readKeys.observe({ upstream }, count);
      },
      onPartRejected: (status) => partsRefused.inc({ upstream, outcome: getStatusClass(status) }),
      onTurn: (ms) => waits.observe({ upstream }, ms / 1_000),
      onRetry: ({ kind = 'read' }) => retries.inc({ upstream, kind }),
      onLocalFailure: (code) => heldBack.inc({ upstream, code }),
      onThrottled: () => throttled.inc({ upstream }),
      onPaced: () => paced.inc({ upstream }),
      onBreakerOpen: () => openings.inc({ upstream }),
    };
  };
}

const getStatusClass = (status: number): StatusClass => statusClasses[Math.floor(status / 100) - 2] ?? '4xx';

// A successful status with an invalid body counts as its error code.
const getOutcomeLabel = ({ status, code }: AttemptResult): StatusClass | ErrorCode =>
  status !== null && (code === null || status >= 300)
    ? getStatusClass(status)
    : (code ?? 'INTERNAL_SERVER_ERROR');
