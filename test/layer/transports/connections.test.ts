import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
let layer: TestLayer;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  layer = await startTestLayer(sandbox.url, {
    POLL_HEALTH_MS: '50',
    MAX_SOCKETS: '6',
    MAX_SOCKETS_PER_CALLER: '3',
    MAX_SUBSCRIPTIONS: '2',
    ADMIN_PORT: '0',
  });
});
const opened: { close(): void }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) one.close();
});
afterAll(async () => {
  await layer.stop();
  await sandbox.stop();
});

const watching = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }';

/** A socket that has said who it is: open, or how it was refused. */
async function openSocket(token: string) {
  const socket = new WebSocket(`${layer.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => {});
  opened.push({ close: () => socket.terminate() });
  const [refusal] = (await Promise.race([once(socket, 'open'), once(socket, 'unexpected-response')])).slice(
    1,
  );
  if (refusal) return { status: (refusal as IncomingMessage).statusCode, text: await textOf(refusal) };
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
  const [first] = await Promise.race([once(socket, 'message'), once(socket, 'close')]);
  if (typeof first === 'number') return { closed: first };
  return {
    socket,
    async subscribe(id: string) {
      socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query: watching } }));
      for (;;) {
        const message = JSON.parse(String((await once(socket, 'message'))[0]));
        if (message.id === id) return message;
      }
    },
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

async function textOf(response: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
}

/** An event stream: open, or how it was refused. */
async function openStream(token: string) {
  const leaving = new AbortController();
  opened.push({ close: () => leaving.abort() });
  const response = await fetch(`${layer.url}/graphql/stream?${new URLSearchParams({ query: watching })}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    signal: leaving.signal,
  });
  if (response.status !== 200) return { status: response.status, text: await response.text() };
  return { headers: response.headers, close: async () => leaving.abort() };
}

/** Opens until one is let in: the server notices that another has gone a moment after its client. */
async function openedAgain<Opened extends object>(open: () => Promise<Opened>) {
  for (;;) {
    const one = await open();
    if ('close' in one) return one;
  }
}

test('a caller may open its maximum of WebSockets and streams, and no more until one is closed', async () => {
  const sockets = [await openSocket('ann'), await openSocket('ann')];
  const stream = await openStream('ann');
  expect([...sockets, stream].every((one) => 'close' in one)).toBe(true);

  expect(await openSocket('ann')).toEqual({ closed: 1013 });
  expect(await openStream('ann')).toMatchObject({
    status: 503,
    text: expect.stringContaining('"code":"OVERLOADED"'),
  });
  expect(await openSocket('bob')).toHaveProperty('socket');

  if ('close' in stream) await stream.close();
  expect(await openedAgain(() => openStream('ann'))).toHaveProperty('headers');
  const [first] = sockets;
  if (first && 'close' in first) await first.close?.();
  expect(await openedAgain(() => openSocket('ann'))).toHaveProperty('socket');
});

test('the total number of WebSockets and streams is limited, whoever opens them', async () => {
  const open = async (at: number) => (at % 2 === 0 ? openSocket(`caller-${at}`) : openStream(`caller-${at}`));
  const all = [];
  for (let at = 0; at < 6; at++) all.push(await openedAgain(() => open(at)));

  const countRejected = async () =>
    (await layer.metrics()).of('tributary_shed_requests_total', { reason: 'connections' });
  const before = await countRejected();
  const [socket, stream] = [await openSocket('another'), await openStream('another')];
  for (const refused of [socket, stream])
    expect(refused).toMatchObject({ status: 503, text: expect.stringContaining('"code":"OVERLOADED"') });
  expect((await countRejected()) - before).toBe(2);
});

test('a WebSocket may run its maximum of subscriptions, and no more until one has ended', async () => {
  const one = await openedAgain(() => openSocket('carla'));
  if (!('socket' in one) || !one.socket) throw new Error('refused');

  expect([await one.subscribe('1'), await one.subscribe('2')]).toMatchObject([
    { type: 'next' },
    { type: 'next' },
  ]);
  expect(await one.subscribe('3')).toMatchObject({
    type: 'error',
    payload: [{ extensions: { code: 'OVERLOADED', requestId: expect.any(String) } }],
  });
  one.socket.send(JSON.stringify({ id: '1', type: 'complete' }));
  expect(await one.subscribe('4')).toMatchObject({ type: 'next' });
});

test('an event stream ends with its connection when queries stand behind it, and none of these is executed', async () => {
  const head = (target: string, query: string) =>
    `GET ${target}?${new URLSearchParams({ query })} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer fay\r\naccept: text/event-stream\r\napollo-require-preflight: 1\r\n\r\n`;
  const stream = head('/graphql/stream', watching);
  const behind = head('/graphql', '{ company { id } }').repeat(10);
  for (const isAtOnce of [true, false]) {
    await sandbox.forgetCalls();
    const asked = connect(Number(new URL(layer.url).port), '127.0.0.1');
    asked.on('error', () => {});
    let text = '';
    asked.on('data', (chunk) => {
      text += chunk;
    });
    asked.write(isAtOnce ? stream + behind : stream);
    if (!isAtOnce) {
      await expect.poll(() => text).toContain('event: next');
      asked.write(behind);
    }
    await once(asked, 'close');

    expect(text.match(/HTTP\/1\.1/g) ?? []).toHaveLength(isAtOnce ? 0 : 1);
    expect((await sandbox.calls()).filter(({ path }) => path.includes('companies'))).toEqual([]);
  }
  expect((await layer.metrics()).of('tributary_requests_in_flight')).toBe(0);
  for (let at = 0; at < 3; at++) expect(await openedAgain(() => openStream('fay'))).toHaveProperty('headers');
});

test('an id reused before its first use ends takes no more slots', async () => {
  const one = await openedAgain(() => openSocket('gil'));
  if (!('socket' in one) || !one.socket) throw new Error('refused');
  for (let at = 0; at < 20; at++) {
    one.socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: watching } }));
    one.socket.send(JSON.stringify({ id: '1', type: 'complete' }));
  }

  await expect.poll(async () => (await one.subscribe(crypto.randomUUID())).type).toBe('next');
});
