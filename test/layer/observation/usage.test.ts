import { createClient as createSocketClient } from 'graphql-ws';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { type TestLayer, testToken } from '../../support/layer.ts';
import { actionInput, place, progress, stop } from '../../support/operations.ts';
import { testDisturbed } from '../../support/proxies/disturbed.ts';

const test = testDisturbed({ ADMIN_PORT: '0' });

const byClient = 'tributary_client_operations_total';
const byName = 'tributary_named_operations_total';
const deprecated = 'tributary_deprecated_uses_total';

const from = (name: string, version?: string) => ({
  'apollographql-client-name': name,
  ...(version !== undefined && { 'apollographql-client-version': version }),
});
const ask = (layer: TestLayer, query: string, headers: Record<string, string> = {}) =>
  layer.query(query, {}, headers);

test('operations are counted by the client that they name, and by their name', async ({
  disturbed: layer,
}) => {
  await ask(layer, 'query Names { company { name } }', from('shop', '1.2.0'));
  await ask(layer, 'query Names { company { name } }', from('shop', '1.3.0'));
  await ask(layer, 'query Broken { company { customer(id: "x") { id } } }', from('shop', '1.3.0'));
  await ask(layer, '{ __typename }');

  const { of } = await layer.metrics();
  expect(of(byClient, { client: 'shop', version: '1.2.0', outcome: 'OK' })).toBe(1);
  expect(of(byClient, { client: 'shop', version: '1.3.0', outcome: 'OK' })).toBe(1);
  expect(of(byClient, { client: '', outcome: 'OK' })).toBe(1);
  expect(of(byName, { operation: 'Names', outcome: 'OK' })).toBe(2);
  expect(of('tributary_named_operation_seconds_total', { operation: 'Names' })).toBeGreaterThan(0);
});

test('a deprecated field is counted for the client that selects it', async ({ disturbed: layer }) => {
  const query = '{ company { items(first: 1) { nodes { itemCategory { code } } } } }';
  await ask(layer, query, from('old-app', '0.9'));
  await ask(layer, query, from('old-app', '0.9'));
  await ask(
    layer,
    '{ company { items(first: 1) { nodes { itemCategory { description } } } } }',
    from('new-app'),
  );

  const { of } = await layer.metrics();
  expect(
    of(deprecated, { coordinate: 'ItemCategoryReference.code', client: 'old-app', version: '0.9' }),
  ).toBe(2);
  expect(of(deprecated)).toBe(2);
});

test('a WebSocket names its client in connection_init, for each event', async ({ disturbed: layer }) => {
  const input = actionInput({ ...place, applicationInstanceName: 'app01' });
  const { data } = await layer.query(stop, { input });
  const client = createSocketClient({
    url: `${layer.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${testToken}`, ...from('wall-display') },
  });
  let events = 0;
  const query = progress.replace('subscription', 'subscription Wall');
  const { id } = data.stopApplicationInstance.operation;
  for await (const _event of client.iterate({ query, variables: { id } })) events += 1;
  await client.dispose();

  const { of } = await layer.metrics();
  expect(of(byClient, { client: 'wall-display', outcome: 'OK' })).toBe(events);
  expect(of(byName, { operation: 'Wall' })).toBe(events);
});

test('the log line names client and version', async ({ disturbed: layer }) => {
  await ask(layer, '{ company { name } }', { ...from('shop', '1.2.0'), 'x-request-id': 'of-shop' });

  expect(layer.linesOf('of-shop')).toEqual([
    expect.objectContaining({ client: 'shop', clientVersion: '1.2.0', msg: 'operation' }),
  ]);
});

test.for([
  ['a JWT', `${'e'.repeat(65)}`],
  ['quotes', 'a"b'],
  ['markup', '<b>shop</b>'],
  ['nothing', ''],
])('a client that names itself with %s counts as none', async ([, name = ''], { disturbed: layer }) => {
  await ask(layer, '{ __typename }', { ...from(name), 'x-request-id': 'of-odd' });

  const { of, samples } = await layer.metrics();
  expect(of(byClient, { client: '', version: '' })).toBe(1);
  expect(
    samples.filter((sample) => sample.name === byClient && sample.labels.client !== 'other'),
  ).toHaveLength(1);
  expect(layer.linesOf('of-odd')[0]).not.toHaveProperty('client');
});

test('a hundred clients and five hundred names are counted by themselves, all others together', async ({
  disturbed: layer,
}) => {
  for (let at = 0; at < 120; at += 1) await ask(layer, `query Q${at} { __typename }`, from(`client-${at}`));
  for (let at = 120; at < 520; at += 1) await ask(layer, `query Q${at} { __typename }`, from('other'));
  await ask(layer, 'query other { __typename }', from('other'));

  const { of, samples } = await layer.metrics();
  expect(of(byClient)).toBe(521);
  expect(of(byClient, { client: 'client-99' })).toBe(1);
  expect(of(byClient, { client: 'client-100' })).toBe(0);
  expect(of(byClient, { client: 'other', version: '' })).toBe(20 + 401);
  expect(of(byName, { operation: 'Q499' })).toBe(1);
  expect(of(byName, { operation: 'other' })).toBe(20 + 1);
  // Prometheus rejects a page that has a series twice.
  const series = samples.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`);
  expect(new Set(series).size).toBe(series.length);
});
