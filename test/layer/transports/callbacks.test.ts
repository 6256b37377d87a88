import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test as plainTest } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { startIssuer } from '../../support/issuer.ts';
import type { Json } from '../../support/json.ts';
import { startTestLayer, type TestLayer, testToken } from '../../support/layer.ts';
import { progress, stopInstance } from '../../support/operations.ts';
import { type TestSandbox, testWithSandbox } from '../../support/sandbox.ts';

interface Message {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly body: Json;
}

/** A gateway's address for events: keeps what it is sent, and answers as the test says. */
async function startReceiver(
  statusOf: (message: Message, count: number) => number | Promise<number> = defaultStatus,
) {
  const messages: Message[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const message = { headers: request.headers, path: request.url ?? '', body };
    messages.push(message);
    const status = await statusOf(message, messages.length);
    if (status === 0) return void request.socket.destroy();
    response.writeHead(status, {
      'subscription-protocol': 'callback/1.0',
      ...(status === 307 && { location: '/elsewhere' }),
    });
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    messages,
    actions: () => messages.map(({ body }) => body.action),
    payloads: () => messages.flatMap(({ body }) => (body.action === 'next' ? [body.payload] : [])),
  };
}

const defaultStatus = ({ body }: Message) =>
  ({ check: 204, next: 200, complete: 202 })[body.action as 'check'];

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const test = testWithSandbox({});

async function startLayer(
  sandbox: TestSandbox,
  origins: string,
  settings: Readonly<Record<string, string>> = {},
) {
  const layer = await startTestLayer(sandbox.url, {
    CALLBACK_ORIGINS: origins,
    POLL_RECORDS_MS: '50',
    POLL_HEALTH_MS: '50',
    ...settings,
  });
  onTestFinished(() => layer.stop());
  return layer;
}

const watching = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }';
const changes = 'subscription { recordChanged(types: [CUSTOMER]) { id change } }';

/** Subscribes as a router does. */
const subscribe = async (
  layer: TestLayer,
  receiver: Pick<Receiver, 'origin'>,
  query: string,
  {
    variables = {},
    subscription = {},
    accept = 'application/json;callbackSpec=1.0',
    signal,
    token = testToken,
  }: Json = {},
) => {
  const response = await fetch(`${layer.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, authorization: `Bearer ${token}` },
    signal,
    body: JSON.stringify({
      query,
      variables,
      extensions: {
        subscription: {
          callbackUrl: `${receiver.origin}/callback/7`,
          subscriptionId: '7',
          verifier: 'the verifier',
          heartbeatIntervalMs: 0,
          ...subscription,
        },
      },
    }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
};

const changeCustomer = (sandbox: TestSandbox, city: string) =>
  sandbox.send(
    'PATCH',
    `/api/v2.0/companies(${sandboxCompanyId})/customers(${sandboxExamples.customerId})`,
    { city },
    { 'if-match': '*' },
  );

/** How many calls the sandbox has had in half a second. */
async function callsIn(sandbox: TestSandbox, ms: number) {
  await sandbox.forgetCalls();
  await new Promise((resolve) => setTimeout(resolve, ms));
  return (await sandbox.calls()).length;
}

test.for([['application/json;callbackSpec=1.0'], ['application/json;callbackSpec=1.0; charset=utf-8']])(
  'with Accept %j, events are posted to the gateway after it has confirmed, in order, then complete',
  async ([accept], { sandbox }) => {
    const receiver = await startReceiver();
    const layer = await startLayer(sandbox, receiver.origin);
    const { operation } = await stopInstance(layer, 'app01');

    const { status, headers, body } = await subscribe(layer, receiver, progress, {
      accept,
      variables: { id: operation.id },
    });
    await expect.poll(() => receiver.actions().at(-1)).toBe('complete');

    expect([status, body]).toEqual([200, { data: null }]);
    expect(headers.get('subscription-protocol')).toBe('callback/1.0');
    expect(headers.get('content-type')).toBe('application/json; callbackSpec=1.0; charset=utf-8');
    expect(receiver.actions()[0]).toBe('check');
    expect(new Set(receiver.actions().slice(1, -1))).toEqual(new Set(['next']));
    const steps = receiver.payloads().map(({ data }) => data.operationProgress.percentComplete ?? 0);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(receiver.payloads().at(-1)).toMatchObject({
      data: { operationProgress: { state: 'SUCCEEDED' } },
    });
    for (const { path, body: message, headers: sent } of receiver.messages) {
      expect(path).toBe('/callback/7');
      expect(message).toMatchObject({ kind: 'subscription', id: '7', verifier: 'the verifier' });
      expect(sent.authorization).toBeUndefined();
      expect(sent['subscription-protocol']).toBe('callback/1.0');
      expect(JSON.stringify([sent, message])).not.toContain(testToken);
    }
  },
);

test('a query with the same header is answered as JSON', async ({ sandbox }) => {
  const receiver = await startReceiver();
  const layer = await startLayer(sandbox, receiver.origin);

  const { status, body } = await subscribe(layer, receiver, '{ companies { totalCount } }');

  expect([status, body]).toEqual([200, { data: { companies: { totalCount: 2 } } }]);
  expect(receiver.messages).toEqual([]);
});

describe('the gateway is not called, and the request is 400', () => {
  test('where callbacks are off, with the ways that work', async ({ sandbox }) => {
    const receiver = await startReceiver();
    const layer = await startTestLayer(sandbox.url);
    onTestFinished(() => layer.stop());

    const { status, body } = await subscribe(layer, receiver, watching);

    expect(status).toBe(400);
    expect(body.errors[0].message).toMatch(/CALLBACK_ORIGINS.*text\/event-stream.*WebSocket/);
    expect(receiver.messages).toEqual([]);
  });

  test('for an address outside of CALLBACK_ORIGINS, however it is written', async ({ sandbox }) => {
    const receiver = await startReceiver();
    const layer = await startLayer(sandbox, 'https://gateway.example');
    const { host } = new URL(receiver.origin);

    for (const callbackUrl of [
      `${receiver.origin}/callback`,
      `https://gateway.example@${host}/callback`,
      `https://user:password@gateway.example/callback`,
      `http://gateway.example/callback`,
      `https://gateway.example:8443/callback`,
      `https://gateway.example.other.example/callback`,
      `file:///etc/passwd`,
      `/callback`,
      '',
      7,
    ]) {
      const { status, body } = await subscribe(layer, receiver, watching, { subscription: { callbackUrl } });
      expect(status, String(callbackUrl)).toBe(400);
      expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
    }
    expect(receiver.messages).toEqual([]);
  });

  test.for([
    ['no verifier', { verifier: undefined }],
    ['an empty id', { subscriptionId: '' }],
    ['a verifier of another type', { verifier: {} }],
    ['a long verifier', { verifier: 'x'.repeat(1_001) }],
    ['a negative interval', { heartbeatIntervalMs: -1 }],
  ] as const)('for %s', async ([, subscription], { sandbox }) => {
    const receiver = await startReceiver();
    const layer = await startLayer(sandbox, receiver.origin);

    const { status, body } = await subscribe(layer, receiver, watching, { subscription });

    expect(status).toBe(400);
    expect(body.errors[0].message).toContain('extensions.subscription');
    expect(receiver.messages).toEqual([]);
  });
});

test.for([404, 400, 307, 500, 0])(
  'a gateway that does not confirm, with %d, gets nothing, and nothing is sent upstream',
  async (status, { sandbox }) => {
    const receiver = await startReceiver(() => status);
    const layer = await startLayer(sandbox, receiver.origin);
    await sandbox.forgetCalls();

    const { status: answered, body } = await subscribe(layer, receiver, watching);

    expect(answered).toBe(400);
    expect(body.errors[0].message).toContain('did not confirm');
    expect(receiver.messages.map(({ path, body: { action } }) => `${action} ${path}`)).toEqual(
      Array(3).fill('check /callback/7'),
    );
    expect(await sandbox.calls()).toEqual([]);
  },
);

test('a subscription that cannot start has its errors in the response', async ({ sandbox }) => {
  const receiver = await startReceiver();
  const layer = await startLayer(sandbox, receiver.origin);

  const { body } = await subscribe(layer, receiver, progress, { variables: { id: 'no handle' } });

  expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  expect(body.data).toBeUndefined();
  expect(receiver.actions()).toEqual(['check']);
});

test.for(['next', 'check'] as const)(
  'a gateway that answers a later %s by 404 has unsubscribed: polling ends',
  async (action, { sandbox }) => {
    let isGone = false;
    const receiver = await startReceiver((message) =>
      isGone && message.body.action === action ? 404 : defaultStatus(message),
    );
    const layer = await startLayer(sandbox, receiver.origin);
    await subscribe(layer, receiver, changes, { subscription: { heartbeatIntervalMs: 1_000 } });
    await expect.poll(async () => (await callsIn(sandbox, 200)) > 0).toBe(true);

    isGone = true;
    if (action === 'next') await changeCustomer(sandbox, 'Moss');

    await expect.poll(() => callsIn(sandbox, 300), { timeout: 5_000 }).toBe(0);
    expect(receiver.actions()).not.toContain('complete');
  },
);

test('an event is not posted to where the gateway redirects it, and polling ends', async ({ sandbox }) => {
  const receiver = await startReceiver((message) =>
    message.body.action === 'next' ? 307 : defaultStatus(message),
  );
  const layer = await startLayer(sandbox, receiver.origin);

  await subscribe(layer, receiver, watching);
  await expect.poll(() => receiver.actions()).toContain('next');

  await expect.poll(() => callsIn(sandbox, 300), { timeout: 5_000 }).toBe(0);
  expect(receiver.messages.map(({ path }) => path)).toEqual(['/callback/7', '/callback/7']);
});

test('a gateway that responds to no heartbeat is gone: polling ends', async ({ sandbox }) => {
  let isGone = false;
  const receiver = await startReceiver((message) => (isGone ? 0 : defaultStatus(message)));
  const layer = await startLayer(sandbox, receiver.origin);
  await subscribe(layer, receiver, changes, { subscription: { heartbeatIntervalMs: 1_000 } });
  await expect.poll(async () => (await callsIn(sandbox, 200)) > 0).toBe(true);

  isGone = true;

  await expect.poll(() => callsIn(sandbox, 300), { timeout: 8_000 }).toBe(0);
  expect(receiver.actions()).not.toContain('complete');
});

test('a gateway that subscribes again after a restart gets the current state first', async ({ sandbox }) => {
  const receiver = await startReceiver();
  const settings = {
    CALLBACK_ORIGINS: receiver.origin,
    OPERATION_SECRETS: 'a secret that outlives the restart',
  };
  const before = await startTestLayer(sandbox.url, settings);
  const { operation } = await stopInstance(before, 'app01');
  const variables = { id: operation.id };
  // It goes on until it is let go.
  await sandbox.fault({
    path: 'operationStatuses',
    status: 200,
    body: { status: 'Running', percentComplete: 7 },
    times: 1_000_000,
  });
  await subscribe(before, receiver, progress, { variables });
  await expect.poll(() => receiver.actions()).toContain('next');
  await before.stop();
  const [told] = receiver.messages.splice(0).slice(-1);
  expect(told?.body).toMatchObject({ action: 'complete', errors: [{ extensions: { code: 'OVERLOADED' } }] });

  const after = await startLayer(sandbox, receiver.origin, settings);
  await subscribe(after, receiver, progress, { variables });
  await expect.poll(() => receiver.actions()).toContain('next');
  await fetch(`${sandbox.url}/sandbox/faults`, { method: 'DELETE' });
  await expect.poll(() => receiver.actions().at(-1), { timeout: 5_000 }).toBe('complete');

  const states = receiver.payloads().map(({ data }) => data.operationProgress.state);
  expect([states[0], states.at(-1)]).toEqual(['RUNNING', 'SUCCEEDED']);
});

test('heartbeats are sent in each interval, and one that fails is not the end', async ({ sandbox }) => {
  let failures = 0;
  const receiver = await startReceiver((message, count) => {
    if (message.body.action === 'check' && count === 2) failures = 1;
    return count === 2 ? 0 : defaultStatus(message);
  });
  const layer = await startLayer(sandbox, receiver.origin);

  await subscribe(layer, receiver, changes, { subscription: { heartbeatIntervalMs: 1_000 } });
  await expect.poll(() => receiver.actions().length, { timeout: 5_000 }).toBeGreaterThan(3);

  expect(failures).toBe(1);
  expect(new Set(receiver.actions())).toEqual(new Set(['check']));
});

test('an event that fails is posted again, before the next one', async ({ sandbox }) => {
  let failures = 0;
  const receiver = await startReceiver((message) =>
    message.body.action === 'next' && failures++ < 2 ? 503 : defaultStatus(message),
  );
  const layer = await startLayer(sandbox, receiver.origin);
  const { operation } = await stopInstance(layer, 'app01');

  await subscribe(layer, receiver, progress, { variables: { id: operation.id } });
  await expect.poll(() => receiver.actions().at(-1), { timeout: 5_000 }).toBe('complete');

  const [first, second, third] = receiver.payloads();
  expect([second, third]).toEqual([first, first]);
  expect(receiver.payloads().at(-1)).toMatchObject({ data: { operationProgress: { state: 'SUCCEEDED' } } });
});

test('a server that stops completes its subscriptions with a reason', async ({ sandbox }) => {
  const receiver = await startReceiver();
  const layer = await startTestLayer(sandbox.url, {
    CALLBACK_ORIGINS: receiver.origin,
    POLL_HEALTH_MS: '50',
  });
  await subscribe(layer, receiver, watching);
  await expect.poll(() => receiver.actions()).toContain('next');

  await layer.stop();

  expect(receiver.messages.at(-1)?.body).toMatchObject({
    action: 'complete',
    errors: [{ message: expect.stringContaining('Subscribe again'), extensions: { code: 'OVERLOADED' } }],
  });
});

test('a subscription ends with an error when its token expires', async ({ sandbox }) => {
  const issuer = await startIssuer();
  onTestFinished(() => issuer.stop());
  const receiver = await startReceiver();
  const layer = await startLayer(sandbox, receiver.origin, issuer.settings);
  const token = await issuer.token('ada', 'user_impersonation', 3);

  const { status } = await subscribe(layer, receiver, changes, { token });
  await expect.poll(() => receiver.actions().at(-1), { timeout: 8_000 }).toBe('complete');

  expect(status).toBe(200);
  expect(receiver.payloads().at(-1)).toMatchObject({
    errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
  });
  expect(JSON.stringify(receiver.messages)).not.toContain(token);
});

test('subscriptions by callback count towards the limit of a caller', async ({ sandbox }) => {
  const receiver = await startReceiver();
  const layer = await startLayer(sandbox, receiver.origin, { MAX_SOCKETS_PER_CALLER: '1' });

  const first = await subscribe(layer, receiver, changes);
  const second = await subscribe(layer, receiver, changes);

  expect([first.status, second.status]).toEqual([200, 503]);
  expect(second.body.errors[0].extensions.code).toBe('OVERLOADED');
});

plainTest.each(['http://gateway.example', 'https://gateway.example/path', 'ftp://127.0.0.1', '*'])(
  'the origin %s stops the start',
  async (origin) => {
    await expect(startTestLayer('http://127.0.0.1:9', { CALLBACK_ORIGINS: origin })).rejects.toThrow(
      'CALLBACK_ORIGINS',
    );
  },
);

test('a gateway that leaves while it is asked to confirm holds no connection, and nothing is sent upstream', async ({
  sandbox,
}) => {
  let confirm = () => {};
  const receiver = await startReceiver(async (message, count) => {
    if (count === 1) await new Promise<void>((resolve) => (confirm = resolve));
    return defaultStatus(message);
  });
  const layer = await startLayer(sandbox, receiver.origin, { MAX_SOCKETS_PER_CALLER: '1' });
  const gateway = new AbortController();
  const left = subscribe(layer, receiver, changes, { signal: gateway.signal }).catch(({ name }) => name);
  await expect.poll(() => receiver.actions()).toEqual(['check']);

  gateway.abort();
  expect(await left).toBe('AbortError');
  confirm();

  await expect.poll(async () => (await subscribe(layer, receiver, changes)).status).toBe(200);
});

test('a server that stops while a gateway confirms does not start its subscription', async ({ sandbox }) => {
  let confirm = () => {};
  const receiver = await startReceiver(async (message) => {
    if (message.body.action === 'check') await new Promise<void>((resolve) => (confirm = resolve));
    return defaultStatus(message);
  });
  const layer = await startTestLayer(sandbox.url, {
    CALLBACK_ORIGINS: receiver.origin,
    POLL_RECORDS_MS: '50',
  });
  const subscribed = subscribe(layer, receiver, changes);
  await expect.poll(() => receiver.actions()).toEqual(['check']);

  const stopped = layer.stop();
  await expect.poll(() => fetch(layer.url).catch(() => null)).toBeNull();
  confirm();
  const { status, body } = await subscribed;
  await stopped;

  expect([status, body.errors?.[0].extensions.code]).toEqual([503, 'OVERLOADED']);
  expect(await callsIn(sandbox, 300)).toBe(0);
});

test('nothing is posted after `complete` when the server stops', async ({ sandbox }) => {
  let isHeld = false;
  const receiver = await startReceiver(async (message) => {
    if (message.body.action === 'complete' && !isHeld) {
      isHeld = true;
      for (let change = 0; change < 3; change++) await changeCustomer(sandbox, `City ${change}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return defaultStatus(message);
  });
  const layer = await startTestLayer(sandbox.url, {
    CALLBACK_ORIGINS: receiver.origin,
    POLL_RECORDS_MS: '50',
  });
  await subscribe(layer, receiver, changes);
  await expect.poll(async () => (await callsIn(sandbox, 200)) > 0).toBe(true);

  await layer.stop();

  expect(receiver.actions()).toEqual(['check', 'complete']);
});

test('a gateway that takes no event is told the end with an error, and polling ends', async ({ sandbox }) => {
  const receiver = await startReceiver((message) =>
    message.body.action === 'next' ? 503 : defaultStatus(message),
  );
  const layer = await startLayer(sandbox, receiver.origin);

  await subscribe(layer, receiver, watching);
  await expect.poll(() => receiver.actions().at(-1), { timeout: 8_000 }).toBe('complete');

  expect(receiver.actions()).toEqual(['check', ...Array(4).fill('next'), 'complete']);
  expect(receiver.messages.at(-1)?.body.errors).toMatchObject([{ extensions: { code: 'OVERLOADED' } }]);
  await expect.poll(() => callsIn(sandbox, 300), { timeout: 5_000 }).toBe(0);
});
