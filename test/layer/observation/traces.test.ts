import { expect } from 'vitest';
import { type CollectedSpan, type Collector, startCollector } from '../../support/collector.ts';
import { fixture } from '../../support/fixture.ts';
import { startTestLayer, testToken } from '../../support/layer.ts';
import { createLeaks } from '../../support/leaks.ts';
import { app01, place } from '../../support/operations.ts';
import { testDisturbed } from '../../support/proxies/disturbed.ts';

const test = testDisturbed()
  .extend(
    'collector',
    fixture(async ({ onCleanup }): Promise<Collector> => {
      const collector = await startCollector();
      onCleanup(() => collector.stop());
      return collector;
    }),
  )
  .extend(
    'start',
    ({ proxy, collector }) =>
      (settings: Readonly<Record<string, string>> = {}) =>
        startTestLayer(proxy.url, {
          UPSTREAM_ATTEMPTS: '3',
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          ...settings,
        }),
  );

const names = 'query Names { company { customers(first: 2) { nodes { displayName } } } }';
const traceId = '0af7651916cd43dd8448eb211c80319c';
const ofCaller = `00-${traceId}-b7ad6b7169203331-01`;
const header = ({ traceId, spanId }: CollectedSpan, flags = '01') => `00-${traceId}-${spanId}-${flags}`;

const familyOf = (spans: readonly CollectedSpan[]) => {
  const [parent] = spans.filter(({ name }) => ['query', 'mutation', 'subscription'].includes(name));
  return { parent: parent as CollectedSpan, children: spans.filter((span) => span !== parent) };
};

test('an operation is a span of its caller’s trace, and every upstream call one below it, whose traceparent is sent upstream', async ({
  sandbox,
  collector,
  start,
}) => {
  const layer = await start({
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=of-the-collector',
    OTEL_SERVICE_NAME: 'graph-of-tests',
  });
  await layer.query(
    'query Orders { company { salesOrders(first: 3) { nodes { billToCustomer { displayName } } } } }',
    {},
    { traceparent: ofCaller },
  );
  await layer.stop();

  const { parent, children } = familyOf(collector.spans());
  expect(parent).toMatchObject({
    traceId,
    parentSpanId: 'b7ad6b7169203331',
    name: 'query',
    attributes: { 'graphql.operation.type': 'query', 'graphql.operation.name': 'Orders' },
    isError: false,
  });
  const attributes = {
    'tributary.upstream': 'business',
    'tributary.call.kind': 'read',
    'http.request.method': 'GET',
    'http.response.status_code': 200,
    'tributary.call.upstream_request_id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  };
  expect(children.map((child) => child.attributes)).toEqual([
    attributes,
    { ...attributes, 'tributary.call.keys': 3 },
  ]);
  for (const child of children)
    expect(child).toMatchObject({
      traceId,
      parentSpanId: parent.spanId,
      name: 'GET business',
      isError: false,
    });
  expect((await sandbox.calls()).map(({ headers }) => headers.traceparent)).toEqual(
    children.map((child) => header(child)),
  );
  expect(collector.resource()).toMatchObject({ 'service.name': 'graph-of-tests' });
  for (const headers of collector.headers) expect(headers['api-key']).toBe('of-the-collector');
});

test('each attempt of a call is a span that records how it ended', async ({ sandbox, collector, start }) => {
  const layer = await start();
  await sandbox.fault({ path: 'customers', status: 503, times: 1 });
  await sandbox.fault({ path: 'items', status: 403, times: 1 });
  await layer.query(names);
  await layer.query('{ company { items(first: 1) { nodes { id } } } }');
  await layer.stop();

  const ends = collector
    .spans()
    .map(({ name, isError, attributes }) => [
      name,
      isError,
      attributes['http.response.status_code'],
      attributes['error.type'],
      attributes['http.request.resend_count'],
    ]);
  expect(ends).toEqual([
    ['GET business', true, 503, 'UPSTREAM_UNAVAILABLE', undefined],
    ['GET business', false, 200, undefined, 1],
    ['query', false, undefined, undefined, undefined],
    ['GET business', true, 403, 'FORBIDDEN', undefined],
    ['query', true, undefined, 'FORBIDDEN', undefined],
  ]);
});

test('an event of a subscription is a trace of its own, linked to the subscriber’s', async ({
  collector,
  start,
}) => {
  const layer = await start();
  const query = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { trackingId } }';
  const response = await fetch(`${layer.url}/graphql/stream?${new URLSearchParams({ query })}`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${testToken}`, traceparent: ofCaller },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (!(await reader?.read())?.value?.includes('SI_1'));
  await layer.stop();

  const { parent } = familyOf(collector.spans());
  expect(parent.name).toBe('subscription');
  expect(parent.traceId).not.toBe(traceId);
  expect(parent.links).toEqual([{ traceId, spanId: 'b7ad6b7169203331' }]);
});

test('an operation that its caller does not sample is not exported, and not sampled upstream', async ({
  sandbox,
  collector,
  start,
}) => {
  const layer = await start();
  await layer.query(names, {}, { traceparent: ofCaller.replace(/01$/, '00') });
  await layer.stop();

  expect(collector.spans()).toEqual([]);
  const [call] = await sandbox.calls();
  expect(call?.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-(?!b7ad)[0-9a-f]{16}-00$`));
});

test('OTEL_TRACES_SAMPLER decides where the caller does not', async ({ collector, start }) => {
  const layer = await start({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' });
  await layer.query(names);
  await layer.stop();

  expect(collector.spans()).toEqual([]);
});

test('no token, id, value or URL is in the exported traces', async ({ collector, start }) => {
  const leaks = createLeaks();
  const layer = await start({ OTEL_EXPORTER_OTLP_HEADERS: 'api-key=canary-of-the-collector' });
  for (const secret of [
    testToken,
    'canary-of-the-collector',
    'canary-of-a-value',
    place.subscriptionId,
    '127.0.0.1',
  ])
    leaks.keep(secret);
  await layer.query(
    'mutation ($name: String!) { createCustomer(input: { displayName: $name }) { customer { id } userErrors { code } } }',
    { name: 'canary-of-a-value' },
  );
  await layer.query(
    '{ company { customers(filter: { city: { eq: "canary-of-a-value" } }) { nodes { id } } } }',
  );
  await layer.query(`{ applicationInstance(${app01}) { name } }`);
  await layer.query('{ company { nothing } }');
  await layer.stop();

  expect(collector.spans().length).toBeGreaterThan(5);
  leaks.look('a trace', collector.text());
  leaks.check();
});

test('a collector that rejects its requests delays nothing, and is logged once', async ({ proxy }) => {
  const collector = await startCollector(400);
  const layer = await startTestLayer(proxy.url, {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
  });
  const { errors } = await layer.query(names);
  await layer.stop();
  collector.stop();

  expect(errors).toBeUndefined();
  expect(layer.lines().filter(({ msg }) => String(msg).startsWith('Traces cannot be sent'))).toHaveLength(1);
});

test.for([
  ['as it is', ofCaller, ofCaller],
  ['not with more behind it', `${ofCaller}-more`, undefined],
] as const)(
  'with tracing off the caller’s traceparent is forwarded: %s',
  async ([, sent, passed], { sandbox, disturbed }) => {
    await disturbed.query(names, {}, { traceparent: sent });

    expect((await sandbox.calls()).map(({ headers }) => headers.traceparent)).toEqual([passed]);
  },
);
