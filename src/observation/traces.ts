import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Outcome } from '../server/observer.ts';
import type { CallWatch } from '../upstream/watch.ts';

/** What a span says of an operation. */
export interface TracedOperation {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly name: string | undefined;
  /** What the caller's request is part of; null where it says nothing. */
  readonly traceparent: string | null;
}

export interface Trace {
  readonly traceId: string;
  /** Makes a span of every upstream call, and sends its name along. */
  readonly watch: CallWatch;
  end(outcome: Outcome): void;
}

export interface Tracing {
  begin(operation: TracedOperation): Trace;
  /** Sends what is not sent yet, as far as there is time. */
  stop(): Promise<void>;
}

/** Traces where the settings name a place for them; else null, and nothing of OpenTelemetry is loaded. */
export async function startTracing(config: Config, log: Logger): Promise<Tracing | null> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = config;
  const url = own ?? (base && `${base.replace(/\/$/, '')}/v1/traces`);
  if (!url) return null;
  const { startOpenTelemetry } = await import('./open-telemetry.ts');
  return startOpenTelemetry({
    url,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: config.OTEL_SERVICE_NAME,
    attributes: config.OTEL_RESOURCE_ATTRIBUTES ?? {},
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    log,
  });
}
