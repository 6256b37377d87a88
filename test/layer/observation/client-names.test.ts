import { createClient as createSocketClient } from 'graphql-ws';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { type TestLayer, testToken } from '../../support/layer.ts';
import { actionInput, place, progress, stop } from '../../support/operations.ts';
import { testDisturbed } from '../../support/proxies/disturbed.ts';

const test = testDisturbed({});

const from = (name: string, version?: string) => ({
  'apollographql-client-name': name,
  ...(version !== undefined && { 'apollographql-client-version': version }),
});
const ask = (layer: TestLayer, query: string, headers: Record<string, string> = {}) =>
  layer.query(query, {}, headers);

test('a WebSocket names its client in connection_init, for each event', async ({ disturbed: layer }) => {
  const input = actionInput({ ...place, applicationInstanceName: 'app01' });
  const { data } = await layer.query(stop, { input });
  const client = createSocketClient({
    url: `${layer.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${testToken}`, ...from('wall-display') },
  });
  let events = 0;
  const { id } = data.stopApplicationInstance.operation;
  for await (const _event of client.iterate({ query: progress, variables: { id } })) events += 1;
  await client.dispose();

  const lines = layer.lines().filter((line) => line.client === 'wall-display');
  expect(lines).toHaveLength(events);
});

test('the log line names client and version', async ({ disturbed: layer }) => {
  await ask(layer, '{ company { name } }', { ...from('shop', '1.2.0'), 'x-request-id': 'of-shop' });

  expect(layer.linesOf('of-shop')).toEqual([
    expect.objectContaining({ client: 'shop', clientVersion: '1.2.0', msg: 'operation' }),
  ]);
});

test.for([
  ['a JWT', `${'e'.repeat(65)}`],
  ['markup', '<b>shop</b>'],
])('a client that names itself with %s counts as none', async ([, name = ''], { disturbed: layer }) => {
  await ask(layer, '{ __typename }', { ...from(name), 'x-request-id': 'of-odd' });

  expect(layer.linesOf('of-odd')[0]).not.toHaveProperty('client');
});
