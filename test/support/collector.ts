import { startStub } from './stub.ts';

type Value = string | number | boolean;

/** A span as a collector was sent it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty where it has no parent. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly isError: boolean;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

export interface Collector {
  readonly url: string;
  /** The headers of all that was sent. */
  readonly headers: readonly Readonly<Record<string, unknown>>[];
  /** All that was sent, as it came. */
  text(): string;
  spans(): readonly CollectedSpan[];
  /** What was said of the service, last. */
  resource(): Readonly<Record<string, Value>>;
  stop(): void;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, Value>>;
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number };
  readonly links: CollectedSpan['links'];
}

/** Takes traces as an OpenTelemetry collector does: OTLP over HTTP, in JSON. */
export async function startCollector(status = 200): Promise<Collector> {
  const { url, requests, stop } = await startStub(({ method, target }) =>
    method === 'POST' && target === '/v1/traces' ? { status, body: {} } : { status: 404 },
  );
  const sent = () =>
    requests.flatMap(({ target, body }) =>
      target === '/v1/traces' ? (JSON.parse(body) as Sent).resourceSpans : [],
    );
  return {
    url,
    get headers() {
      return requests.map(({ headers }) => headers);
    },
    text: () => requests.map(({ body }) => body).join('\n'),
    spans: () => sent().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(collected))),
    resource: () => valuesOf(sent().at(-1)?.resource.attributes ?? []),
    stop,
  };
}

const collected = ({ traceId, spanId, parentSpanId = '', name, attributes, status, links }: SentSpan) => ({
  traceId,
  spanId,
  parentSpanId,
  name,
  attributes: valuesOf(attributes),
  isError: status.code === 2,
  links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
});

const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as Value]));
