import { once } from 'node:events';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { sandboxCompanyId } from '../../src/sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer, test, testToken } from '../support/layer.ts';

const authorization = `Bearer ${testToken}`;
const json = { 'content-type': 'application/json', authorization };
const noWatch = 'subscription { operationProgress(id: "x") { state } }';

test.for([
  ['a body that is not JSON', { method: 'POST', headers: json, body: '{' }, 400],
  ['another content type', { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a' }, 415],
  [
    'a body over 256 KB',
    { method: 'POST', headers: json, body: JSON.stringify({ query: ' '.repeat(300_000) }) },
    413,
  ],
  ['another method', { method: 'PUT', headers: json, body: '{}' }, 405],
  [
    'a form, as other sites can send',
    { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' },
    400,
  ],
  ['no document', { method: 'POST', headers: json, body: '{}' }, 400],
  [
    'a subscription by POST',
    { method: 'POST', headers: json, body: JSON.stringify({ query: noWatch }) },
    400,
  ],
] as const)('%s is refused in the shape of GraphQL', async ([_what, request, status], { layer }) => {
  const response = await fetch(`${layer.url}/graphql`, request);

  const { errors } = (await response.json()) as {
    errors: { message: string; extensions: { code: string } }[];
  };
  expect(response.status).toBe(status);
  expect(errors[0]).toMatchObject({
    message: expect.stringMatching(/\w/),
    extensions: { code: 'BAD_USER_INPUT' },
  });
  expect(response.headers.get('x-powered-by')).toBeNull();
  if (status === 405) expect(response.headers.get('allow')).toBe('GET, POST');
});

test('an address where nothing is says where the graph is', async ({ layer }) => {
  const response = await fetch(`${layer.url}/nowhere`);

  expect(response.status).toBe(404);
  expect(await response.text()).toContain('/graphql');
});

test('a request id that the client gives is kept, in the answer and in its errors', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ status: 500, body: {} });

  const { headers, errors } = await layer.query(
    '{ companies { totalCount } }',
    {},
    { 'x-request-id': 'order-import-7' },
  );

  expect(headers.get('x-request-id')).toBe('order-import-7');
  expect(headers.get('cache-control')).toContain('no-store');
  expect(errors?.[0]?.extensions.requestId).toBe('order-import-7');
});

test('a request without a token is UNAUTHENTICATED and nothing is sent', async ({ layer, sandbox }) => {
  for (const header of ['', 'Basic abc', 'Bearer ']) {
    const { data, errors } = await layer.query('{ companies { totalCount } }', {}, { authorization: header });
    expect(data).toEqual({ companies: null });
    expect(errors).toMatchObject([
      { message: expect.stringContaining('Authorization'), extensions: { code: 'UNAUTHENTICATED' } },
    ]);
  }
  expect(await sandbox.calls()).toEqual([]);
});

test("the caller's own token goes upstream, and shows up nowhere in an answer", async ({
  layer,
  sandbox,
}) => {
  const canary = 'canary-7d1f';
  await sandbox.fault({
    status: 400,
    body: { error: { code: 'Echo', message: `refused Bearer ${canary} at ${sandbox.url}` } },
  });

  const { errors } = await layer.query(
    '{ companies { totalCount } }',
    {},
    { authorization: `Bearer ${canary}` },
  );

  const [call] = await sandbox.calls();
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canary));
  expect(call?.headers.authorization).toBe(
    `Bearer sha256:${Buffer.from(digest).toString('hex').slice(0, 12)}`,
  );
  expect(errors).toMatchObject([{ extensions: { upstreamError: { code: 'Echo' } } }]);
  expect(JSON.stringify(errors)).not.toContain(canary);
  expect(JSON.stringify(errors)).not.toContain(new URL(sandbox.url).host);
});

test('a redirect is not followed: no byte reaches where it leads', async ({ layer, sandbox }) => {
  await sandbox.fault({ status: 307, headers: { location: `${sandbox.url}/decoy` } });

  const { errors } = await layer.query('{ companies { totalCount } }');

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(await sandbox.calls()).toHaveLength(1);
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

test.for([
  ['a query', { query: '{ company { id } }' }, 'BAD_USER_INPUT'],
  ['an unknown field', { query: 'subscription { nonsense }' }, 'GRAPHQL_VALIDATION_FAILED'],
  ['half a document', { query: 'subscription {' }, 'GRAPHQL_PARSE_FAILED'],
  [
    'more tokens than allowed',
    { query: `subscription { ${'__typename '.repeat(3000)} }` },
    'GRAPHQL_PARSE_FAILED',
  ],
] as const)('%s over a socket or a stream is refused alike', async ([_what, payload, code], { layer }) => {
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
});

test('a socket that does not speak the protocol is closed with 4406', async ({ layer }) => {
  const socket = new WebSocket(`${layer.url.replace('http', 'ws')}/graphql`);

  const [code] = await once(socket, 'close');

  expect(code).toBe(4406);
});

test('a socket at another address is refused', async ({ layer }) => {
  const socket = new WebSocket(`${layer.url.replace('http', 'ws')}/other`, 'graphql-transport-ws');

  const [error] = await once(socket, 'error');

  expect(String(error)).toContain('404');
});

test('a frame over 64 KB closes its socket, and the layer goes on', async ({ layer }) => {
  const socket = await socketOf(layer);
  socket.send('x'.repeat(70_000));

  const [code] = await once(socket, 'close');

  expect(code).toBe(1009);
  expect((await layer.query('{ company { id } }')).data.company.id).toBe(sandboxCompanyId);
});

test('a stream asked for without its media type is told which', async ({ layer }) => {
  const response = await fetch(`${layer.url}/graphql/stream`, { method: 'POST', headers: json, body: '{}' });

  expect(response.status).toBe(406);
  expect(await response.text()).toContain('text/event-stream');
});

test('a document used many times gives the same answer every time', async ({ layer }) => {
  const query = '{ company { items(first: 3) { nodes { id number blocked unitPrice } } } }';

  const answers = await Promise.all(Array.from({ length: 5 }, () => layer.query(query)));

  for (const { data, errors } of answers) {
    expect(errors).toBeUndefined();
    expect(data).toEqual(answers[0]?.data);
  }
});

test('stopping lets a request in flight finish and closes sockets with 1001', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url);
  const socket = await socketOf(layer);
  await sandbox.fault({ delayMs: 300 });
  const closed = once(socket, 'close');
  const inFlight = layer.query('{ companies { totalCount } }');
  while ((await sandbox.calls()).length === 0);

  await layer.stop();

  expect((await inFlight).data.companies.totalCount).toBe(2);
  expect((await closed)[0]).toBe(1001);
  await expect(fetch(`${layer.url}/graphql`)).rejects.toThrow();
});
