import type { Logger } from 'pino';
import type { CallObserver } from '../http/call-tracing.ts';
import type { OperationObserver } from '../server/observer.ts';
import type { GraphMetrics } from './metrics.ts';
import type { Tracing } from './tracing.ts';

export interface OperationObserverOptions {
  /** Null when metrics are off. */
  readonly metrics: GraphMetrics | null;
  /** Null when tracing is off. */
  readonly tracing: Tracing | null;
  /** Whether lines have messages of errors, which may quote values. */
  readonly showsReasons: boolean;
  readonly log: Logger;
}

// An operation name may be as long as a document.
const maxNameLength = 80;

/**
 * Counts, traces and logs every operation: one line each, without its document, variables or caller; a warning if it failed
 * or changed nothing.
 */
export function createOperationObserver({
  metrics,
  tracing,
  showsReasons,
  log,
}: OperationObserverOptions): OperationObserver {
  // No field needs redaction, and pino's redaction costs more than the line itself.
  const lines = log.child({}, { redact: [], level: 'info' });

  return {
    subscriptionStarted: () => metrics?.subscribed() ?? (() => {}),

    operationStarted({ operation, caller }) {
      const { requestId, clientRequestId, client = null, traceparent = null } = caller;
      // Counting the calls of every operation has a cost.
      const isLogged = log.isLevelEnabled('info');
      const startedAt = performance.now();
      const kind = operation.operation;
      const name = operation.name?.value.slice(0, maxNameLength);
      const trace = tracing?.begin({ kind, name, client, traceparent }) ?? null;
      const observers: CallObserver[] = [];
      if (trace) observers.push(trace.watch);
      else if (traceparent) observers.push(createHeaderWatch({ traceparent }));
      let calls = 0;
      if (isLogged)
        observers.push({
          startAttempt() {
            calls += 1;
            return noopAttempt;
          },
        });

      return {
        observers,
        end({ code, reason, upstream, upstreamCode }) {
          const ms = performance.now() - startedAt;
          metrics?.recordOperation(kind, code, ms);
          trace?.end(code);
          const level = code === 'OK' ? 'info' : 'warn';
          if (!log.isLevelEnabled(level)) return;
          const traceId = trace?.traceId ?? traceparent?.slice(3, 35);
          // The id that upstreams receive, if it differs.
          const sentRequestId = clientRequestId === requestId ? undefined : clientRequestId;
          lines[level](
            {
              requestId,
              clientRequestId: sentRequestId,
              traceId,
              kind,
              name,
              client: client?.name,
              clientVersion: client?.version ?? undefined,
              code,
              upstream,
              upstreamCode: upstreamCode ?? undefined,
              reason: showsReasons ? reason : undefined,
              ms: Math.round(ms),
              calls: isLogged ? calls : undefined,
            },
            'operation',
          );
        },
      };
    },
  };
}

const noopAttempt = { onEnd() {} };

/** Adds headers to every call. */
const createHeaderWatch = (headers: Readonly<Record<string, string>>): CallObserver => {
  const attempt = { headers, ...noopAttempt };
  return { startAttempt: () => attempt };
};
