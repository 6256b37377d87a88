import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startIssuerForTest } from '../../support/issuer.ts';
import { startLayerForTest, startTestLayer, type TestLayer, testToken } from '../../support/layer.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

const most = 5;

let sandbox: TestSandbox;
let layer: TestLayer;
beforeEach(async () => {
  sandbox = await startTestSandbox();
  layer = await startTestLayer(sandbox.url, { MAX_REQUESTS: String(most), POLL_HEALTH_MS: '50' });
});
afterEach(async () => {
  await layer.stop();
  await sandbox.stop();
});

const query = '{ companies { totalCount } }';
// Each area has half of the places at most.
const queryAt = (at: number) =>
  at % 2 === 0 ? query : '{ healthEvents(subscriptionId: "other") { totalCount } }';
const slowPaths = { '/companies': Math.ceil(most / 2), '/subscriptions/other': Math.floor(most / 2) };
const watching = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }';
const authorization = `Bearer ${testToken}`;

const asked = async () =>
  (await sandbox.calls()).filter(({ path }) => Object.keys(slowPaths).some((slow) => path.includes(slow)))
    .length;
const slowDown = async (delayMs: number) => {
  for (const [path, times] of Object.entries(slowPaths)) await sandbox.fault({ path, delayMs, times });
};

/** As many requests as there may be, each with another token, once the upstreams have all of them. */
async function fill(delayMs = 2_000): Promise<{ answers: Promise<unknown[]> }> {
  await sandbox.forgetCalls();
  await slowDown(delayMs);
  const answers = Promise.all(
    Array.from({ length: most }, (_, at) =>
      layer.query(queryAt(at), {}, { authorization: `Bearer caller-${at}` }),
    ),
  );
  await expect.poll(asked, { interval: 10 }).toBe(most);
  return { answers };
}

async function expectRefusal(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(await response.json()).toEqual({
    errors: [
      {
        message: expect.stringContaining('Try again'),
        extensions: { code: 'OVERLOADED', requestId: response.headers.get('x-request-id') },
      },
    ],
  });
}

const post = () =>
  fetch(`${layer.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ query }),
  });
const openStream = () =>
  fetch(`${layer.url}/graphql/stream?${new URLSearchParams({ query: watching })}`, {
    headers: { accept: 'text/event-stream', authorization, 'apollo-require-preflight': '1' },
  });

test('a query or a stream without a free slot is rejected as OVERLOADED, and those with a slot are answered', async () => {
  const { answers } = await fill();

  await expectRefusal(await post());
  await expectRefusal(await openStream());
  expect(await asked()).toBe(most);
  expect(await answers).toEqual(Array(most).fill(expect.objectContaining({ status: 200 })));
  expect((await layer.query(query)).status).toBe(200);
});

/** A real client, as apps use it: it comes back after a close that is not for good, and throws the errors it is told. */
function watch() {
  const closes: number[] = [];
  const client = createClient({
    url: `${layer.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: 'Bearer watcher' },
    retryWait: () => sleep(100),
    on: { closed: (event) => closes.push((event as { code: number }).code) },
  });
  const events = client.iterate({ query: watching });
  const first = async () => {
    const { value } = await events.next();
    void client.dispose();
    return value;
  };
  return { told: first(), closes };
}

const title = { data: { healthEventChanged: { title: expect.any(String) } } };

test('a subscription over WebSocket waits five seconds for a slot, is then closed with 1013, and its client reconnects', async () => {
  const { answers } = await fill(700);
  const patient = watch();
  expect(await patient.told).toMatchObject(title);
  expect(patient.closes).not.toContain(1013);
  await answers;

  const { answers: later } = await fill(6_000);
  const { told, closes } = watch();
  expect(await told).toMatchObject(title);
  expect(closes[0]).toBe(1013);
  await later;
});

/** A request whose body does not come. */
function sendHead(from: string): { received(): string; socket: Socket } {
  const { port, host } = new URL(layer.url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: from, allowHalfOpen: true });
  let text = '';
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      text += chunk;
    });
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  return { received: () => text, socket };
}

test('bodies of unknown length that are being received have a common limit, which no small query meets', async () => {
  const from = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
  const arriving = from.flatMap((address) => Array.from({ length: 200 }, () => sendHead(address)));
  const refused = () => arriving.filter(({ received }) => received().startsWith('HTTP/1.1 503 '));
  // 64 MiB in all, and half of it from one address.
  await expect.poll(() => refused().length).toBe(600 - 256);
  expect(refused()[0]?.received()).toContain('"OVERLOADED"');

  expect((await post()).status).toBe(200);
  for (const { socket } of arriving) socket.destroy();
  const large = { none: 'x'.repeat(100_000) };
  await expect.poll(async () => (await layer.query(query, large)).status).toBe(200);
});

test('slots are released once, whether a caller waits, disconnects, pipelines or gets an error', async () => {
  const { hostname, port, host } = new URL(layer.url);
  const request = (body: string) =>
    `POST /graphql HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const ask = async (text: string, leaveAfterMs: number) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(text);
    await sleep(leaveAfterMs);
    socket.destroy();
  };
  for (let round = 0; round < 8; round++) {
    await sandbox.fault({ delayMs: 20, times: 3 });
    await Promise.all([
      ask(request(JSON.stringify({ query })), round),
      ask(request(JSON.stringify({ query })).repeat(3), round),
      ask(request('{"query":"{ nonsense }"}'), round),
    ]);
  }
  await fetch(`${sandbox.url}/sandbox/faults`, { method: 'DELETE' });
  await sleep(200);

  const { answers } = await fill(500);

  expect(await answers).toEqual(Array(most).fill(expect.objectContaining({ status: 200 })));
  await expect.poll(async () => (await post()).status).toBe(200);
});

test('a client that disconnects during a write keeps the slot until the write has ended', async () => {
  const change = 'mutation { createCustomer(input: { displayName: "Left" }) { userErrors { code } } }';
  const ofOne = Math.ceil(most / 2);
  await sandbox.fault({ method: 'POST', delayMs: 600, times: ofOne });
  const abort = new AbortController();
  const left = Array.from({ length: ofOne }, () =>
    fetch(`${layer.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${crypto.randomUUID()}` },
      body: JSON.stringify({ query: change }),
      signal: abort.signal,
    }).catch(() => null),
  );
  await expect.poll(async () => (await sandbox.calls()).length, { interval: 10 }).toBe(ofOne);
  abort.abort();
  await Promise.all(left);
  await sleep(50);

  expect((await post()).status).toBe(503);
  await expect.poll(async () => (await post()).status).toBe(200);
});

/** Keeps the event loop of the layer, which is this one, from everything else, over and over. */
async function block(forMs: number, eachMs: number): Promise<void> {
  for (const until = performance.now() + forMs; performance.now() < until; ) {
    for (const turn = performance.now() + eachMs; performance.now() < turn; );
    await sleep(1);
  }
}

test('while the event loop is late for a second, a second request of a caller is rejected', async () => {
  const late = await startLayerForTest(sandbox.url, {
    MAX_LOOP_DELAY_MS: '60',
    MAX_REQUESTS_PER_CALLER: '4',
  });
  const ask = () => late.query('{ company { id } }');
  await sandbox.fault({ path: '/companies', delayMs: 4_000, times: 1 });
  const first = late.query(query);
  await expect.poll(asked, { interval: 10 }).toBe(1);
  await block(1_600, 150);

  const refused = await ask();
  await expect.poll(async () => (await ask()).status, { timeout: 3_000 }).toBe(200);
  expect((await first).status).toBe(200);

  expect(refused).toMatchObject({ status: 503, errors: [{ extensions: { code: 'OVERLOADED' } }] });
});

test('unverified callers share by their peer address, whatever tokens they invent', async () => {
  const small = await startLayerForTest(sandbox.url, { MAX_REQUESTS: '8', MAX_REQUESTS_PER_CALLER: '2' });
  const askAs = (token: string, text: string) => small.query(text, {}, { authorization: `Bearer ${token}` });
  await sandbox.fault({ path: '/companies', times: 2, delayMs: 2_000 });
  const slow = Promise.all(['one', 'two'].map((token) => askAs(token, query)));
  await expect.poll(asked, { interval: 10 }).toBe(2);

  expect((await askAs('three', '{ __typename }')).status).toBe(503);
  expect((await slow).map(({ status }) => status)).toEqual([200, 200]);
});

test('while one verified caller fills its share, or an area hangs, others are served', async () => {
  const issuer = await startIssuerForTest();
  const small = await startLayerForTest(sandbox.url, {
    ...issuer.settings,
    MAX_REQUESTS: '8',
    MAX_REQUESTS_PER_CALLER: '2',
  });
  await sandbox.fault({ path: '/companies', times: 4, delayMs: 3_000 });
  const ask = async (name: string, text: string) => {
    const authorization = `Bearer ${await issuer.token(name)}`;
    return (await small.query(text, {}, { authorization })).status;
  };
  const distinct = (at: number) => `{ companies(filter: { name: { ne: "${at}" } }) { totalCount } }`;

  const eager = [1, 2].map((at) => ask('eager', distinct(at)));
  await expect.poll(asked, { interval: 10 }).toBe(2);
  // Each with a new token.
  expect(await ask('eager', '{ __typename }')).toBe(503);
  expect(await ask('light', query.replace('companies', 'upstreams').replace('totalCount', 'name'))).toBe(200);

  const others = ['ann', 'ben'].map((name) => ask(name, query));
  await expect.poll(asked, { interval: 10 }).toBe(4);
  expect(await ask('light', query)).toBe(503);
  expect(await ask('light', '{ healthEvents(first: 1) { nodes { title } } }')).toBe(200);
  expect(await Promise.all([...eager, ...others])).toEqual([200, 200, 200, 200]);
});
