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
import type { Config } from '../config.ts';
import type { Call } from '../upstream/client.ts';
import type { CallWatch } from '../upstream/watch.ts';
import type { Tracing } from './traces.ts';

export interface OpenTelemetryOptions {
  /** Where spans are sent, as OTLP in JSON. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly attributes: Attributes;
  readonly sampler: Config['OTEL_TRACES_SAMPLER'];
  readonly ratio: number;
  readonly log: Logger;
}

const longestFlushMs = 3_000;

/**
 * Traces by OpenTelemetry's own means, without its globals: whose child a span is, is said where it is made. Spans hold
 * words of closed lists, counts and the operation's name; no path, id or token.
 */
export function startOpenTelemetry(options: OpenTelemetryOptions): Tracing {
  const { url, headers, serviceName, attributes, log } = options;
  const exporter = telling(new OTLPTraceExporter({ url, headers: { ...headers } }), log);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...attributes, 'service.name': serviceName }),
    sampler: samplerOf(options),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('tributary');

  const watchBelow = (parent: Context): CallWatch => ({
    begin(upstream, call, attempt) {
      const attributes = attributesOf(call, attempt);
      const span = tracer.startSpan(
        `${call.method} ${upstream}`,
        { kind: SpanKind.CLIENT, attributes: { 'tributary.upstream': upstream, ...attributes } },
        parent,
      );
      return {
        headers: { traceparent: traceparentOf(span.spanContext()) },
        end({ status, code }) {
          if (status !== null) span.setAttribute('http.response.status_code', status);
          endSpan(span, code);
        },
      };
    },
  });

  return {
    begin({ kind, name, traceparent }) {
      const caller = traceparent === null ? null : spanContextOf(traceparent);
      // An event may come days after it was subscribed to: it is a trace of its own, linked to that one.
      const isApart = kind === 'subscription';
      const attributes = {
        'graphql.operation.type': kind,
        ...(name !== undefined && { 'graphql.operation.name': name }),
      };
      const span = tracer.startSpan(
        kind,
        { kind: SpanKind.SERVER, attributes, links: caller && isApart ? [{ context: caller }] : [] },
        caller && !isApart ? trace.setSpanContext(ROOT_CONTEXT, caller) : ROOT_CONTEXT,
      );
      return {
        traceId: span.spanContext().traceId,
        watch: watchBelow(trace.setSpan(ROOT_CONTEXT, span)),
        end: (outcome) => endSpan(span, outcome === 'OK' ? null : outcome),
      };
    },

    async stop() {
      const done = new AbortController();
      const tooLate = sleep(longestFlushMs, undefined, { signal: done.signal, ref: false }).catch(() => {});
      await Promise.race([provider.shutdown().catch(() => {}), tooLate]);
      done.abort();
    },
  };
}

function attributesOf({ method, kind = 'read', keys, parts }: Call, attempt: number): Attributes {
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

function spanContextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext) =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

function samplerOf({ sampler, ratio }: OpenTelemetryOptions): Sampler {
  const root = sampler.endsWith('always_on')
    ? new AlwaysOnSampler()
    : sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** An exporter whose failures are logged: when they begin, not every few seconds. */
function telling(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false;
  return {
    export(spans, told) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== 0;
        if (hasFailed && !isFailing) log.warn('Traces cannot be sent. They are dropped until they can.');
        isFailing = hasFailed;
        told(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
