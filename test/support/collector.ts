import { startStub } from './stub.ts';

type Value = string | number | boolean;

/** A span as a collector was sent it; the parent is empty where it has none. */
export type CollectedSpan = ReturnType<typeof collected>;

export type Collector = Awaited<ReturnType<typeof startCollector>>;

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
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

/** Takes traces as an OpenTelemetry collector does: OTLP over HTTP, in JSON. */
export async function startCollector(status = 200) {
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
    spans: (): readonly CollectedSpan[] =>
      sent().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(collected))),
    /** What was said of the service, last. */
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
