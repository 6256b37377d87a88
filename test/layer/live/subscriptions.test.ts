import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { openSocket, say, startLayerForTest, type TestLayer, test, testToken } from '../../support/layer.ts';
import { actionInput, ofItsOwn, place, stop } from '../../support/operations.ts';

const authorization = `Bearer ${testToken}`;

const watch = (id: string) => ({
  query: 'subscription ($id: ID!) { operationProgress(id: $id) { state } }',
  variables: { id },
});

async function startStop(layer: TestLayer, headers?: Readonly<Record<string, string>>): Promise<string> {
  const input = actionInput({ ...place, applicationInstanceName: 'app01', ...ofItsOwn() });
  const { data } = await layer.query(stop, { input }, headers);
  return data.stopApplicationInstance.operation.id;
}

const overStream = (layer: TestLayer, payload: object) =>
  fetch(`${layer.url}/graphql/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization },
    body: JSON.stringify(payload),
  });

test.for([
  ['a query', { query: '{ company { id } }' }, 'BAD_USER_INPUT'],
  ['a mutation', { query: 'mutation { batch(input: { entries: [] }) { __typename } }' }, 'BAD_USER_INPUT'],
  ['an unknown field', { query: 'subscription { nonsense }' }, 'GRAPHQL_VALIDATION_FAILED'],
] as const)(
  '%s over a WebSocket or an event stream is rejected in the same way',
  async ([_what, payload, code], { layer, sandbox }) => {
    const socket = await openSocket(layer);
    await say(socket, { type: 'connection_init' });

    const overSocket = await say(socket, { id: '1', type: 'subscribe', payload });
    const streamed = await overStream(layer, payload);

    socket.close();
    expect(overSocket).toMatchObject({ type: 'error', payload: [{ extensions: { code } }] });
    expect(streamed.status).toBe(400);
    expect(await streamed.json()).toMatchObject({ errors: [{ extensions: { code } }] });
    expect((await sandbox.calls()).filter(({ path }) => path.startsWith('/api/'))).toEqual([]);
  },
);

test('WebSockets that disconnect while they are being rejected do not end the process', async ({ layer }) => {
  const { hostname, port } = new URL(layer.url);
  const upgrade = 'GET /nope HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

  for (let round = 0; round < 200; round++) {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(upgrade);
    if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    socket.resetAndDestroy();
  }

  expect((await layer.query('{ company { id } }')).data.company.id).toBe(sandboxCompanyId);
});

test.for([
  ['connection_init, before the header', { authorization }, { authorization: 'Bearer denied' }],
  ['the header of the upgrade', {}, { authorization }],
] as const)('the token of a WebSocket is taken from %s', async ([_where, payload, headers], { layer }) => {
  const id = await startStop(layer);
  const socket = await openSocket(layer, headers);
  await say(socket, { type: 'connection_init', payload });

  const event = await say(socket, { id: '1', type: 'subscribe', payload: watch(id) });

  socket.terminate();
  expect(event).toMatchObject({
    type: 'next',
    payload: { data: { operationProgress: { state: expect.any(String) } } },
  });
});

test('where areas B and C have a header of their own, connection_init takes its name', async ({
  sandbox,
}) => {
  const layer = await startLayerForTest(sandbox.url, { MANAGEMENT_TOKEN_HEADER: 'X-Management' });
  const id = await startStop(layer, { authorization, 'x-management': authorization });
  const ask = async (payload: object) => {
    const socket = await openSocket(layer);
    await say(socket, { type: 'connection_init', payload: { authorization, ...payload } });
    const event = await say(socket, { id: '1', type: 'subscribe', payload: watch(id) });
    socket.close();
    return event;
  };

  for (const name of ['x-management', 'managementAuthorization'])
    expect(await ask({ [name]: authorization }), name).toMatchObject({
      type: 'next',
      payload: { data: { operationProgress: { state: expect.any(String) } } },
    });
});

test('of two subscriptions in a document the named one is run', async ({ layer }) => {
  const query = `subscription A { operationProgress(id: "x") { state } } subscription B { b: operationProgress(id: "x") { state } }`;

  const named = await overStream(layer, { query, operationName: 'B' });
  expect(await named.text()).toMatch(/"path":\["b"\]/);
  expect(await (await overStream(layer, { query })).text()).toContain('BAD_USER_INPUT');
});
