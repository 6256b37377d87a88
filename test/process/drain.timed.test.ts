import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Running, startTributary } from '../support/process.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

const authorization = 'Bearer somebody';
const noCompanies = { data: { companies: { nodes: [] } } };
const query = '{ companies { nodes { id } } }';
const watching = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }';

/** An upstream of area A whose every answer takes as long, and how many requests it has. */
interface Slow {
  readonly url: string;
  readonly server: Server;
  asked(): number;
}

async function startSlow(ms: number): Promise<Slow> {
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    setTimeout(() => response.end('{"value":[]}'), ms);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, asked: () => count };
}

let sandbox: TestSandbox;
const started: { running: Running; slow: Slow }[] = [];
beforeEach(async () => {
  sandbox = await startTestSandbox();
});
afterEach(async () => {
  for (const { running, slow } of started.splice(0)) {
    await running.stop('SIGKILL');
    slow.server.closeAllConnections();
    slow.server.close();
  }
  await sandbox.stop();
});

async function start(ms: number, settings: Readonly<Record<string, string>> = {}) {
  const slow = await startSlow(ms);
  const running = startTributary(['serve'], {
    PORT: '0',
    BUSINESS_URL: slow.url,
    MANAGEMENT_URL: sandbox.url,
    OPERATION_SECRETS: 'a secret of the test',
    UPSTREAM_CONNECTIONS: '250',
    // Half of them may wait for area A.
    MAX_REQUESTS: '400',
    POLL_HEALTH_MS: '1000',
    ...settings,
  });
  started.push({ running, slow });
  const text = await running.printed(/readyz"/);
  const [, url = ''] = /at (\S+)\/graphql/.exec(text) ?? [];
  const [, adminUrl = ''] = /at (\S+)\/readyz/.exec(text) ?? [];
  return { running, slow, url, adminUrl };
}

/** A query over a connection that is kept, by a caller of its own: reads of one are shared. */
async function ask(url: string, agent: Agent, caller = 'somebody') {
  const sent = request(`${url}/graphql`, {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${caller}` },
  });
  sent.end(JSON.stringify({ query }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, connection: response.headers.connection, text };
}

async function openSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }));
  await once(socket, 'message');
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: watching } }));
  await once(socket, 'message');
  return socket;
}

/** All that an event stream tells to its end; rejects where it is cut off. */
async function openStream(url: string): Promise<{ end: Promise<string> }> {
  const response = await fetch(`${url}/graphql/stream?${new URLSearchParams({ query: watching })}`, {
    headers: { accept: 'text/event-stream', authorization, 'apollo-require-preflight': '1' },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const read = async () => {
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) return text;
      text += value;
    }
  };
  return { end: read() };
}

/** What a probe is told. */
const readiness = async (adminUrl: string) => {
  const response = await fetch(`${adminUrl}/readyz`);
  return [response.status, ((await response.json()) as { reasons: string[] }).reasons];
};

test('SIGTERM fails nothing of 200 requests in flight, sockets end with 1001, streams whole, and it is over 2 s after the last answer at most', async () => {
  // Long enough for all requests to arrive before the first is answered, on a busy machine, too.
  const inFlightMs = 5_000;
  const { running, slow, url } = await start(inFlightMs);
  const sockets = await Promise.all(Array.from({ length: 150 }, () => openSocket(url)));
  const closes = Promise.all(sockets.map(async (socket) => (await once(socket, 'close'))[0]));
  const streams = await Promise.all(Array.from({ length: 50 }, () => openStream(url)));
  const idle = new Agent({ keepAlive: true });
  await Promise.all(Array.from({ length: 20 }, (_, at) => ask(url, idle, `idle-${at}`)));
  const before = slow.asked();

  const agent = new Agent({ keepAlive: true });
  const answers = Promise.all(Array.from({ length: 200 }, (_, at) => ask(url, agent, `caller-${at}`)));
  while (slow.asked() < before + 200) await sleep(10);
  const toldAt = performance.now();
  const ended = running.stop('SIGTERM');
  const answered = await answers;
  const answeredMs = performance.now() - toldAt;
  const { code, stderr } = await ended;
  const endedMs = performance.now() - toldAt;

  for (const { status, connection, text } of answered)
    expect([status, connection, JSON.parse(text)]).toEqual([200, 'close', noCompanies]);
  expect(new Set(await closes)).toEqual(new Set([1001]));
  // A client comes back to a stream that ends without `complete`.
  for (const { end } of streams) expect(await end).toMatch(/^(:\n\n)*event: next\n(?!.*event: complete)/s);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(answeredMs).toBeGreaterThan(500);
  expect(endedMs).toBeLessThan(inFlightMs + 2_000);
});

test('SIGTERM is told by /readyz at once; for the time of DRAIN_DELAY_MS requests are taken', async () => {
  const { running, url, adminUrl } = await start(50, { DRAIN_DELAY_MS: '1000' });
  const agent = new Agent({ keepAlive: true });
  const before = await readiness(adminUrl);

  const toldAt = performance.now();
  const ended = running.stop('SIGTERM');
  await expect.poll(() => readiness(adminUrl), { interval: 5 }).toEqual([503, ['draining']]);
  const unreadyMs = performance.now() - toldAt;
  const late = [await ask(url, agent), await ask(url, new Agent())];
  const { code } = await ended;
  const endedMs = performance.now() - toldAt;

  expect(before).toEqual([200, []]);
  expect(unreadyMs).toBeLessThan(500);
  for (const { status, connection } of late) expect([status, connection]).toEqual([200, 'close']);
  expect(code).toBe(0);
  expect(endedMs).toBeGreaterThan(950);
  expect(endedMs).toBeLessThan(2_000);
});

test('a second signal ends it at once, whatever is in flight', async () => {
  const { running, slow, url } = await start(10_000);
  const cut = ask(url, new Agent()).catch((error: NodeJS.ErrnoException) => error.code);
  while (slow.asked() === 0) await sleep(10);
  const first = running.stop('SIGTERM');
  await sleep(300);
  const toldAt = performance.now();
  void running.stop('SIGTERM');

  expect((await first).code).toBe(1);
  expect(performance.now() - toldAt).toBeLessThan(1_000);
  expect(await cut).toBe('ECONNRESET');
});

test('what takes longer than DRAIN_TIMEOUT_MS is cut off, and the log tells how much', async () => {
  const { running, slow, url } = await start(10_000, { DRAIN_TIMEOUT_MS: '700' });
  const cut = ask(url, new Agent()).catch((error: NodeJS.ErrnoException) => error.code);
  while (slow.asked() === 0) await sleep(10);
  const toldAt = performance.now();
  const { code, stdout } = await running.stop('SIGTERM');
  const endedMs = performance.now() - toldAt;

  expect(await cut).toBe('ECONNRESET');
  expect(code).toBe(0);
  expect(endedMs).toBeGreaterThan(700);
  expect(endedMs).toBeLessThan(2_200);
  expect(stdout).toMatch(/"requests":1,.*DRAIN_TIMEOUT_MS/);
});
