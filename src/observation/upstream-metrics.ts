import type { ErrorCode, UpstreamName } from '../errors.ts';
import type { UpstreamObserver, UpstreamState } from '../upstream/observer.ts';
import type { CallKind } from '../upstream/retry.ts';
import type { AttemptEnd } from '../upstream/watch.ts';
import { byName, type Tallies } from './tallies.ts';

const classes = ['2xx', '3xx', '4xx', '5xx'] as const;
type Class = (typeof classes)[number];
const failures = [
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_BAD_RESPONSE',
] as const satisfies readonly ErrorCode[];

const callSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const waitSeconds = [0.001, 0.01, 0.1, 0.5, 1, 5, 30];

/** Observers that count what becomes of calls, one for each upstream. */
export function createUpstreamMetrics(tallies: Tallies): (upstream: UpstreamName) => UpstreamObserver {
  const { counter, histogram } = tallies;
  const states = new Map<UpstreamName, () => UpstreamState>();
  const gauge = (name: string, help: string, read: (state: UpstreamState) => number) =>
    tallies.gauge(name, help, () =>
      [...states].map(([upstream, state]) => ({ labels: { upstream }, value: read(state()) })),
    );

  const calls = counter<'upstream' | 'kind' | 'outcome'>(
    'tributary_upstream_calls_total',
    'Attempts of upstream calls, by how they ended: the class of the status, or a code where no good answer came.',
  );
  const seconds = histogram<'upstream' | 'kind'>(
    'tributary_upstream_call_duration_seconds',
    'How long an attempt took, from its sending to the last byte of the answer.',
    callSeconds,
  );
  const parts = histogram<'upstream' | 'kind'>(
    'tributary_upstream_batch_parts',
    'How many parts a batch had.',
    [5, 10, 25, 50, 100],
  );
  const partsRefused = counter<'upstream' | 'outcome'>(
    'tributary_upstream_parts_refused_total',
    'Parts of batches that were refused inside an answer that went well, by the class of their status.',
  );
  const keys = histogram<'upstream'>(
    'tributary_upstream_read_keys',
    'How many records one collected read asked for by their keys.',
    [1, 5, 10, 25, 50, 100, 150],
  );
  const retries = counter<'upstream' | 'kind'>(
    'tributary_upstream_retries_total',
    'Calls that were made again.',
  );
  const waits = histogram<'upstream'>(
    'tributary_upstream_wait_seconds',
    'How long calls waited for their turn.',
    waitSeconds,
  );
  const heldBack = counter<'upstream' | 'code'>(
    'tributary_upstream_held_back_total',
    'Calls that failed before anything was sent: no turn or no token in time, or an upstream that is left alone.',
  );
  const throttled = counter<'upstream'>(
    'tributary_upstream_throttled_total',
    'How often the upstream told a caller to wait (429).',
  );
  const openings = counter<'upstream'>(
    'tributary_upstream_breaker_openings_total',
    'How often the circuit breaker for all callers of the upstream opened.',
  );
  gauge(
    'tributary_upstream_breaker_open',
    'Whether the circuit breaker for all callers is open: 1 or 0.',
    (state) => Number(state.isLeftAlone),
  );
  gauge(
    'tributary_upstream_failing_callers',
    'Callers whose calls of some kind fail at once now, since too many of them failed.',
    (state) => state.failingCallers,
  );
  gauge('tributary_upstream_calls_in_flight', 'Calls on their way.', (state) => state.inFlight);
  gauge('tributary_upstream_calls_waiting', 'Calls that wait for their turn.', (state) => state.waiting);
  gauge(
    'tributary_upstream_paused_callers',
    'Callers of whom nothing is sent now, since the upstream throttles them.',
    (state) => state.pausedCallers,
  );
  gauge('tributary_upstream_retry_budget', 'What is left for retries, of 500.', (state) => state.retryBudget);

  return (upstream) => {
    const ofKind = (kind: CallKind) => ({
      ended: byName([...classes, ...failures], (outcome: Class | ErrorCode) =>
        calls({ upstream, kind, outcome }),
      ),
      took: seconds({ upstream, kind }),
      again: retries({ upstream, kind }),
    });
    const of = { read: ofKind('read'), write: ofKind('write'), poll: ofKind('poll') };
    const held = byName(['UPSTREAM_THROTTLED', 'UPSTREAM_UNAVAILABLE'], (code: ErrorCode) =>
      heldBack({ upstream, code }),
    );
    const waited = waits({ upstream });
    // Most upstreams have none of these.
    const had = byName([], (kind: CallKind) => parts({ upstream, kind }));
    const refused = byName([], (outcome: Class) => partsRefused({ upstream, outcome }));
    const lookedUp = byName([], (of: UpstreamName) => keys({ upstream: of }));

    return {
      follow: (state) => void states.set(upstream, state),
      attempted({ kind = 'read', keys, parts }, end, ms) {
        const { ended, took } = of[kind];
        ended(outcomeOf(end))();
        took(ms / 1_000);
        if (parts) had(kind)(parts.length);
        if (keys !== undefined) lookedUp(upstream)(keys);
      },
      partRefused: (status) => refused(classOf(status))(),
      waited: (ms) => waited(ms / 1_000),
      retried: ({ kind = 'read' }) => of[kind].again(),
      heldBack: (code) => held(code)(),
      throttled: throttled({ upstream }),
      leftAlone: openings({ upstream }),
    };
  };
}

const classOf = (status: number): Class => classes[Math.floor(status / 100) - 2] ?? '4xx';

// A good status with a body that makes no sense is no good answer.
const outcomeOf = ({ status, code }: AttemptEnd): Class | ErrorCode =>
  status !== null && (code === null || status >= 300) ? classOf(status) : (code ?? 'INTERNAL_SERVER_ERROR');
