import type { ErrorCode, UpstreamName } from '../errors.ts';
import type { AttemptResult, CallKind, UpstreamObserver, UpstreamState } from '../http/call.ts';
import { createCachedByName, type Instruments } from './instruments.ts';

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
