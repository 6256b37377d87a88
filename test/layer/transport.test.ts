import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { sandboxCompanyId, sandboxExamples } from '../../src/sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer, test, testToken } from '../support/layer.ts';

const authorization = `Bearer ${testToken}`;
const sandboxCustomer = { id: sandboxExamples.customerId };
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

test('a short document that stands for a very long one is answered without being compiled', async ({
  layer,
}) => {
  const levels = Array.from(
    { length: 14 },
    (_, level) =>
      `fragment F${level} on Company { a: customer(id: $id) { company { ...F${level + 1} } } b: customer(id: $id) { company { ...F${level + 1} } } }`,
  );
  const query = `query ($id: UUID!) { company { ...F0 } } ${levels.join(' ')} fragment F14 on Company { id }`;

  const answers = [await layer.query(query, sandboxCustomer), await layer.query(query, sandboxCustomer)];

  for (const { errors } of answers) expect(errors).toBeUndefined();
});

test.for([
  ['several operations and no name', { query: 'query A { __typename } query B { __typename }' }],
  ['the name of an operation that is not there', { query: 'query A { __typename }', operationName: 'B' }],
] as const)('%s is BAD_USER_INPUT over HTTP', async ([_what, body], { layer }) => {
  const response = await fetch(`${layer.url}/graphql`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(body),
  });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    errors: [{ message: expect.stringContaining('operationName'), extensions: { code: 'BAD_USER_INPUT' } }],
  });
});

test.for([{}, { query: 5 }, []])(
  'a stream asked for with %j is refused in the shape of GraphQL',
  async (body, { layer }) => {
    const response = await fetch(`${layer.url}/graphql/stream`, {
      method: 'POST',
      headers: { ...json, accept: 'text/event-stream' },
      body: JSON.stringify(body),
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  },
);

test('sockets that break off while they are being refused do not end the layer', async ({ layer }) => {
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

test('a token of areas B and C with a header of its own is never the one for A', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { MANAGEMENT_TOKEN_HEADER: 'x-management' });

  const { errors } = await layer.query('{ healthEvent(trackingId: "SI_1-QRT") { title } }');
  await layer.stop();

  expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', upstream: 'health' } }]);
  expect(await sandbox.calls()).toEqual([]);
});

test('a token that the upstream repeats in any form is taken out of its words, and never out of its codes', async ({
  layer,
  sandbox,
}) => {
  const change = `mutation ($input: UpdateCustomerInput!) {
    updateCustomer(input: $input) { userErrors { code upstream { code message } } }
  }`;
  const input = { ...sandboxCustomer, ifMatch: '*', patch: { city: 'Oslo' } };
  for (const token of ['se"cret', 'Changed']) {
    await sandbox.fault({
      method: 'PATCH',
      status: 409,
      body: { error: { code: 'Request_EntityChanged', message: `token ${token}` } },
    });

    const { data } = await layer.query(change, { input }, { authorization: `Bearer ${token}` });

    expect(data.updateCustomer.userErrors).toEqual([
      { code: 'STALE_RECORD', upstream: { code: 'Request_EntityChanged', message: 'token [token]' } },
    ]);
  }
});

test.for([
  ['connection_init', { authorization }, {}],
  ['connection_init, before the header', { authorization }, { authorization: 'Bearer denied' }],
  ['the header of the upgrade', {}, { authorization }],
] as const)('the token of a socket is taken from %s', async ([_where, payload, headers], { layer }) => {
  const { data } = await layer.query(`mutation { stopApplicationInstance(input: {
    subscriptionId: "11111111-2222-4333-8444-555555555555", resourceGroupName: "rg-north",
    virtualInstanceName: "N01", applicationInstanceName: "app01"
  }) { operation { id } } }`);
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
    payload: { data: { operationProgress: { state: 'RUNNING' } } },
  });
});

async function startStop(layer: TestLayer): Promise<string> {
  const { data } = await layer.query(`mutation { stopApplicationInstance(input: {
    subscriptionId: "11111111-2222-4333-8444-555555555555", resourceGroupName: "rg-north",
    virtualInstanceName: "N01", applicationInstanceName: "app01"
  }) { operation { id } } }`);
  return data.stopApplicationInstance.operation.id;
}

const watch = (id: string) => ({
  query: 'subscription ($id: ID!) { operationProgress(id: $id) { state } }',
  variables: { id },
});

test.for([
  ['with a capital', { Authorization: authorization }, true],
  ['one for the management area', { authorization, managementAuthorization: 'Bearer another' }, false],
] as const)(
  'the tokens of a socket are in its init: %s',
  async ([_what, payload, isSame], { layer, sandbox }) => {
    const id = await startStop(layer);
    const socket = await socketOf(layer);
    await say(socket, { type: 'connection_init', payload });

    await say(socket, { id: '1', type: 'subscribe', payload: watch(id) });

    const calls = await sandbox.calls();
    socket.close();
    const tokenOf = (wanted: string) =>
      calls.findLast(({ method }) => method === wanted)?.headers.authorization;
    expect(tokenOf('GET')).toMatch(/^Bearer sha256:/);
    expect(tokenOf('GET') === tokenOf('POST')).toBe(isSame);
  },
);

test('stopping ends event streams at once', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url);
  const id = await startStop(layer);
  await sandbox.fault({ path: '/operationStatuses/', times: 1000, status: 200, body: { status: 'Running' } });
  const response = await fetch(`${layer.url}/graphql/stream`, {
    method: 'POST',
    headers: { ...json, accept: 'text/event-stream' },
    body: JSON.stringify(watch(id)),
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  while (!text.includes('RUNNING')) text += Buffer.from((await reader.read()).value ?? []).toString();

  const begun = performance.now();
  await layer.stop();

  expect(performance.now() - begun).toBeLessThan(3000);
  expect((await reader.read()).done).toBe(true);
});

test.for(['with blanks', 'a'.repeat(129), '"quoted"'])(
  'a request id like %j is not taken over',
  async (given, { layer }) => {
    const { headers } = await layer.query('{ company { id } }', {}, { 'x-request-id': given });

    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  },
);

test('another content type is told the right one', async ({ layer }) => {
  const response = await fetch(`${layer.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'a',
  });

  expect(await response.text()).toContain('Send the request as application/json.');
});

async function overStream(layer: TestLayer, payload: object): Promise<string> {
  const response = await fetch(`${layer.url}/graphql/stream`, {
    method: 'POST',
    headers: { ...json, accept: 'text/event-stream' },
    body: JSON.stringify(payload),
  });
  return response.text();
}

test('of many faults in a subscription only the first are told', async ({ layer }) => {
  const query = `subscription { ${Array.from({ length: 50 }, (_, index) => `f${index}`).join(' ')} }`;

  const { errors } = JSON.parse(await overStream(layer, { query }));

  expect(errors.length).toBeLessThanOrEqual(6);
});

test('a subscription without variables uses the defaults of its document', async ({ layer }) => {
  const query =
    'subscription ($yes: Boolean = true) { operationProgress(id: "x") { state @include(if: $yes) } }';

  const text = await overStream(layer, { query });

  expect(text).toContain('is not the handle of an operation');
});
test('of two subscriptions in a document the one named is run', async ({ layer }) => {
  const query = `subscription A { operationProgress(id: "x") { state } } subscription B { b: operationProgress(id: "x") { state } }`;

  expect(await overStream(layer, { query, operationName: 'B' })).toMatch(/"path":\["b"\]/);
  expect(await overStream(layer, { query })).toContain('BAD_USER_INPUT');
});
