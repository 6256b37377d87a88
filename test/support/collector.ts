import type { Json } from './json.ts';
import { startStub } from './stub.ts';

type Value = string | number | boolean;

/** A span as a collector was sent it; the parent is empty where it has none. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly isError: boolean;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

export type Collector = Awaited<ReturnType<typeof startCollector>>;

/** Takes traces as an OpenTelemetry collector does: OTLP over HTTP, in JSON. */
export async function startCollector(status = 200) {
  const { url, requests, stop } = await startStub(({ method, target }) =>
    method === 'POST' && target === '/v1/traces' ? { status, body: {} } : { status: 404 },
  );
  const sent = (): Json[] =>
    requests.flatMap(({ target, body }) => (target === '/v1/traces' ? JSON.parse(body).resourceSpans : []));
  return {
    url,
    get headers() {
      return requests.map(({ headers }) => headers);
    },
    text: () => requests.map(({ body }) => body).join('\n'),
    spans: (): readonly CollectedSpan[] =>
      sent().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }: Json) => spans.map(collected))),
    /** What was said of the service, last. */
    resource: () => valuesOf(sent().at(-1)?.resource.attributes ?? []),
    stop,
  };
}

const collected = ({ parentSpanId = '', attributes, status, links, ...rest }: Json): CollectedSpan => ({
  ...rest,
  links: links.map(({ traceId, spanId }: Json) => ({ traceId, spanId })),
  parentSpanId,
  attributes: valuesOf(attributes),
  isError: status.code === 2,
});

const valuesOf = (attributes: Json[]): Readonly<Record<string, Value>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
