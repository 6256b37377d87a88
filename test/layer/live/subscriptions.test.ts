import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer, test, testToken } from '../../support/layer.ts';

const authorization = `Bearer ${testToken}`;

const json = { 'content-type': 'application/json', authorization };

const watch = (id: string) => ({
  query: 'subscription ($id: ID!) { operationProgress(id: $id) { state } }',
  variables: { id },
});

test.for([
  ['a query', { query: '{ company { id } }' }, 'BAD_USER_INPUT'],
  [
    'a mutation',
    { query: 'mutation { batch(input: { entries: [] }) { results { userErrors { code } } } }' },
    'BAD_USER_INPUT',
  ],
  ['an unknown field', { query: 'subscription { nonsense }' }, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'more tokens than allowed',
    { query: `subscription { ${'__typename '.repeat(3000)} }` },
    'GRAPHQL_PARSE_FAILED',
  ],
] as const)(
  '%s over a WebSocket or an event stream is rejected in the same way',
  async ([_what, payload, code], { layer, sandbox }) => {
    const socket = await socketOf(layer);
    await say(socket, { type: 'connection_init' });

    const overSocket = await say(socket, { id: '1', type: 'subscribe', payload });
    const overStream = await fetch(`${layer.url}/graphql/stream`, {
      method: 'POST',
      headers: { ...json, accept: 'text/event-stream' },
      body: JSON.stringify(payload),
    });

    socket.close();
    expect(overSocket).toMatchObject({ type: 'error', payload: [{ extensions: { code } }] });
    expect(overStream.status).toBe(400);
    expect(await overStream.json()).toMatchObject({ errors: [{ extensions: { code } }] });
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
  ['connection_init', { authorization }, {}],
  ['connection_init, before the header', { authorization }, { authorization: 'Bearer denied' }],
  ['the header of the upgrade', {}, { authorization }],
] as const)('the token of a WebSocket is taken from %s', async ([_where, payload, headers], { layer }) => {
  const { data } = await layer.query(
    `mutation { stopApplicationInstance(input: { instance: { names: {
    subscriptionId: "11111111-2222-4333-8444-555555555555", resourceGroupName: "rg-north",
    virtualInstanceName: "N01", applicationInstanceName: "app01"
  } } }) { operation { id } } }`,
  );
  const { id } = data.stopApplicationInstance.operation;
  const socket = new WebSocket(`${layer.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers,
  });
  await once(socket, 'open');
  await say(socket, { type: 'connection_init', payload });

  const query = 'subscription ($id: ID!) { operationProgress(id: $id) { state } }';
  const event = await say(socket, { id: '1', type: 'subscribe', payload: { query, variables: { id } } });

  socket.terminate();
  expect(event).toMatchObject({
    type: 'next',
    payload: { data: { operationProgress: { state: expect.any(String) } } },
  });
});

test('where areas B and C have a header of their own, connection_init takes its name, and errors say it', async ({
  sandbox,
}) => {
  const layer = await startTestLayer(sandbox.url, { MANAGEMENT_TOKEN_HEADER: 'X-Management' });
  onTestFinished(() => layer.stop());
  const id = await startStop(layer, { authorization, 'x-management': authorization });
  const ask = async (payload: object) => {
    const socket = await socketOf(layer);
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
  const message =
    'Send the header `x-management: Bearer <token>` (over WebSocket: `managementAuthorization` in connection_init).';
  const { errors } = await layer.query('{ managementSubscriptions { totalCount } }', {}, { authorization });
  expect(errors).toMatchObject([{ message, extensions: { code: 'UNAUTHENTICATED' } }]);
});

test('of two subscriptions in a document the named one is run', async ({ layer }) => {
  const query = `subscription A { operationProgress(id: "x") { state } } subscription B { b: operationProgress(id: "x") { state } }`;

  expect(await overStream(layer, { query, operationName: 'B' })).toMatch(/"path":\["b"\]/);
  expect(await overStream(layer, { query })).toContain('BAD_USER_INPUT');
});

async function socketOf(layer: TestLayer, protocol = 'graphql-transport-ws'): Promise<WebSocket> {
  const socket = new WebSocket(`${layer.url.replace('http', 'ws')}/graphql`, protocol);
  await once(socket, 'open');
  return socket;
}

async function say(socket: WebSocket, message: object): Promise<Record<string, unknown>> {
  socket.send(JSON.stringify(message));
  const [answer] = await once(socket, 'message');
  return JSON.parse(String(answer));
}

let stops = 0;

/** Begins another stop each time: one with the same parameters that still runs would not be sent again. */
async function startStop(layer: TestLayer, headers?: Readonly<Record<string, string>>): Promise<string> {
  stops += 1;
  const { data } = await layer.query(
    `mutation { stopApplicationInstance(input: { instance: { names: {
    subscriptionId: "11111111-2222-4333-8444-555555555555", resourceGroupName: "rg-north",
    virtualInstanceName: "N01", applicationInstanceName: "app01"
  } }, softStopTimeoutSeconds: ${stops} }) { operation { id } } }`,
    {},
    headers,
  );
  return data.stopApplicationInstance.operation.id;
}

async function overStream(layer: TestLayer, payload: object): Promise<string> {
  const response = await fetch(`${layer.url}/graphql/stream`, {
    method: 'POST',
    headers: { ...json, accept: 'text/event-stream' },
    body: JSON.stringify(payload),
  });
  return response.text();
}

test('however many subscriptions one WebSocket has had, nothing is logged', async ({ layer }) => {
  const warnings: string[] = [];
  const note = ({ message }: Error) => void warnings.push(message);
  process.on('warning', note);
  const socket = await socketOf(layer);
  await say(socket, { type: 'connection_init', payload: { authorization } });
  for (let id = 0; id < 60; id++) {
    await say(socket, {
      id: String(id),
      type: 'subscribe',
      payload: { query: 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }' },
    });
    if (id < 30) socket.send(JSON.stringify({ id: String(id), type: 'complete' }));
  }
  // Warnings come in a turn of their own: this one behind any other.
  process.emitWarning('the last');
  await once(process, 'warning');
  process.off('warning', note);
  socket.terminate();

  expect(warnings).toEqual(['the last']);
});
