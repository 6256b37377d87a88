import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { UpstreamCall } from '../http/call.ts';
import type { CallObserver } from '../http/call-tracing.ts';
import type { Client } from '../server/caller.ts';
import type { OperationOutcome } from '../server/observer.ts';

export interface TracedOperation {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly name: string | undefined;
  readonly client: Client | null;
  readonly traceparent: string | null;
}

export interface Trace {
  readonly traceId: string;
  /** Creates a span for every upstream call and sends its `traceparent`. */
  readonly callObserver: CallObserver;
  end(code: OperationOutcome['code']): void;
}

export interface Tracing {
  begin(operation: TracedOperation): Trace;
  /** Exports the remaining spans within three seconds. */
  stop(): Promise<void>;
}

const maxFlushMs = 3_000;

/**
 * Traces with the OpenTelemetry SDK, without its globals: parent contexts are passed explicitly. Spans are sent as JSON to
 * `url` (OTLP/HTTP). Attributes are values of fixed sets, counts, the names of operation and client, and ids of upstream
 * requests; never a path, a token or another id.
 */
export function startOpenTelemetry(url: string, config: Config, log: Logger): Tracing {
  const headers = { ...config.OTEL_EXPORTER_OTLP_HEADERS };
  const exporter = logFailures(new OTLPTraceExporter({ url, headers }), log);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      ...config.OTEL_RESOURCE_ATTRIBUTES,
      'service.name': config.OTEL_SERVICE_NAME,
    }),
    sampler: createSampler(config),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('tributary');

  const createCallObserver = (parent: Context): CallObserver => ({
    startAttempt(upstream, call, attempt) {
      const attributes = getCallAttributes(call, attempt);
      const span = tracer.startSpan(
        `${call.method} ${upstream}`,
        { kind: SpanKind.CLIENT, attributes: { 'tributary.upstream': upstream, ...attributes } },
        parent,
      );
      return {
        headers: { traceparent: formatTraceparent(span.spanContext()) },
        onEnd(result) {
          const { status, code } = result;
          const id = span.isRecording() ? result.upstreamRequestId : null;
          if (id !== null) span.setAttribute('tributary.call.upstream_request_id', id);
          if (status !== null) span.setAttribute('http.response.status_code', status);
          endSpan(span, code);
        },
      };
    },
  });

  return {
    begin({ kind, name, client, traceparent }) {
      const caller = traceparent === null ? null : parseTraceparent(traceparent);
      // An event may arrive days after the subscription: it starts its own trace, linked to the caller's.
      const isOwnTrace = kind === 'subscription';
      const attributes = {
        'graphql.operation.type': kind,
        ...(name !== undefined && { 'graphql.operation.name': name }),
        ...(client && { 'tributary.client.name': client.name }),
        ...(client?.version != null && { 'tributary.client.version': client.version }),
      };
      const span = tracer.startSpan(
        kind,
        { kind: SpanKind.SERVER, attributes, links: caller && isOwnTrace ? [{ context: caller }] : [] },
        caller && !isOwnTrace ? trace.setSpanContext(ROOT_CONTEXT, caller) : ROOT_CONTEXT,
      );
      return {
        traceId: span.spanContext().traceId,
        callObserver: createCallObserver(trace.setSpan(ROOT_CONTEXT, span)),
        end: (code) => endSpan(span, code === 'OK' ? null : code),
      };
    },

    async stop() {
      const done = new AbortController();
      const timeout = sleep(maxFlushMs, undefined, { signal: done.signal, ref: false }).catch(() => {});
      await Promise.race([provider.shutdown().catch(() => {}), timeout]);
      done.abort();
    },
  };
}

function getCallAttributes(
  { method, kind = 'read', keys, parts }: UpstreamCall,
  attempt: number,
): Attributes {
  return {
    'http.request.method': method,
    'tributary.call.kind': kind,
    ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
    ...(keys !== undefined && { 'tributary.call.keys': keys }),
    ...(parts && { 'tributary.call.parts': parts.length }),
  };
}

function endSpan(span: Span, code: string | null): void {
  if (code !== null) {
    span.setAttribute('error.type', code);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function parseTraceparent(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

const formatTraceparent = ({ traceId, spanId, traceFlags }: SpanContext) =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

function createSampler({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio }: Config): Sampler {
  const root = sampler.endsWith('always_on')
    ? new AlwaysOnSampler()
    : sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** Logs the first failed export after a successful one. */
function logFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false;
  return {
    export(spans, onResult) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== 0;
        if (hasFailed && !isFailing)
          log.warn('Traces cannot be sent. They are dropped until the collector is back.');
        isFailing = hasFailed;
        onResult(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
