import type { Logger } from 'pino';
import type { CallObserver } from '../http/call-tracing.ts';
import type { OperationObserver } from '../server/observer.ts';
import type { GraphMetrics } from './metrics.ts';
import type { Tracing } from './open-telemetry.ts';

export interface OperationObserverOptions {
  readonly metrics: GraphMetrics | null;
  readonly tracing: Tracing | null;
  /** Whether to log error messages, which may quote values. */
  readonly showsReasons: boolean;
  readonly log: Logger;
}

// An operation name may be as long as a document.
const maxNameLength = 80;

/**
 * Counts, traces and logs every operation. The log line contains no document, variables or caller; it is a warning if the
 * operation failed or a mutation changed nothing.
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
      const isLogged = log.isLevelEnabled('info');
      const startedAt = performance.now();
      const kind = operation.operation;
      const name = operation.name?.value.slice(0, maxNameLength);
      const trace = tracing?.begin({ kind, name, client, traceparent }) ?? null;
      const observers: CallObserver[] = [];
      if (trace) observers.push(trace.callObserver);
      else if (traceparent) observers.push(createHeaderObserver({ traceparent }));
      let calls = 0;
      // Calls are counted for the log only.
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
          // The id that upstreams receive, if it differs from `requestId`.
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

const createHeaderObserver = (headers: Readonly<Record<string, string>>): CallObserver => {
  const attempt = { headers, ...noopAttempt };
  return { startAttempt: () => attempt };
};
