import type { Logger } from 'pino';
import type { OperationObserver } from '../server/observer.ts';
import type { CallWatch } from '../upstream/watch.ts';
import type { GraphMetrics } from './graph-metrics.ts';
import type { Tracing } from './traces.ts';

export interface ObserveOptions {
  /** Null where nobody reads metrics. */
  readonly metrics: GraphMetrics | null;
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null;
  readonly log: Logger;
}

// A name may be as long as a document; what is more than this tells nobody more.
const maxName = 80;

/** Counts, traces and logs every operation: one line each, without its document, its variables or whose it is. */
export function observeOperations({ metrics, tracing, log }: ObserveOptions): OperationObserver {
  const isLogged = log.isLevelEnabled('info');
  // Nothing in them bears the name of a secret, and to look for one takes longer than to write them.
  const lines = log.child({}, { redact: [] });

  return {
    subscribed: () => metrics?.subscribed() ?? (() => {}),
    compiled: () => metrics?.compiled(),

    begin({ operation, caller: { requestId, traceparent = null } }) {
      const startedAt = performance.now();
      const kind = operation.operation;
      const name = isLogged || tracing ? operation.name?.value.slice(0, maxName) : undefined;
      const trace = tracing?.begin({ kind, name, traceparent }) ?? null;
      const watches: CallWatch[] = [];
      if (trace) watches.push(trace.watch);
      else if (traceparent) watches.push(sending({ traceparent }));
      let calls = 0;
      if (isLogged)
        watches.push({
          begin() {
            calls += 1;
            return unheard;
          },
        });

      return {
        watches,
        end(outcome) {
          const ms = performance.now() - startedAt;
          metrics?.operation(kind, outcome, ms);
          trace?.end(outcome);
          if (!isLogged) return;
          const traceId = trace?.traceId ?? traceparent?.slice(3, 35);
          lines.info(
            { requestId, traceId, kind, name, code: outcome, ms: Math.round(ms), calls },
            'operation',
          );
        },
      };
    },
  };
}

const unheard = { end() {} };

/** Sends headers with every call, and tells nobody of it. */
const sending = (headers: Readonly<Record<string, string>>): CallWatch => {
  const attempt = { headers, ...unheard };
  return { begin: () => attempt };
};
