import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, vi } from 'vitest';
import { type TestLayer, testToken, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({}, { POLL_HEALTH_MS: '50', MAX_ANSWER_BYTES: '33000000' });

// More than the buffers between two processes take, wherever they stand.
const much = 9_000_000;
const tell = (sandbox: TestSandbox, letter: string) =>
  sandbox.send('POST', '/sandbox/events', {
    trackingId: 'SI_1-QRT',
    properties: { title: letter.repeat(much / 2), summary: letter.repeat(much / 2) },
  });

const query = '{ healthEvent(trackingId: "SI_1-QRT") { title summary } }';
const subscription = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title summary } }';

/** A request by bytes, so that what is not read stays where it is. */
async function asked(layer: TestLayer, path: string, accept: string, body: object): Promise<Socket> {
  const content = JSON.stringify(body);
  const socket = connect(Number(new URL(layer.url).port), '127.0.0.1').pause();
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${testToken}\r\naccept: ${accept}\r\ncontent-type: application/json\r\ncontent-length: ${content.length}\r\n\r\n${content}`,
  );
  return socket;
}

/** Reads until the other side closes or, where given, `enough` bytes have come. */
async function rest(socket: Socket, enough = Infinity): Promise<{ bytes: number; isClosed: boolean }> {
  let bytes = 0;
  return new Promise((resolve) => {
    socket.once('close', () => resolve({ bytes, isClosed: true }));
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes < enough) return;
      resolve({ bytes, isClosed: false });
      socket.destroy();
    });
    socket.resume();
  });
}

describe('with socket timeouts twenty times shorter', () => {
  beforeEach(() => {
    const { setTimeout } = Socket.prototype;
    vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, ms, act) {
      return setTimeout.call(this, ms / 20, act);
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test.for([
    ['an answer', '/graphql', 'application/json', { query }],
    ['an event', '/graphql/stream', 'text/event-stream', { query: subscription }],
  ] as const)(
    '%s that the client does not read is kept for 30 seconds, and one that is read is sent in full',
    async ([_what, path, accept, body], { layer, sandbox }) => {
      await tell(sandbox, 'a');
      const [unread, read] = [await asked(layer, path, accept, body), await asked(layer, path, accept, body)];

      const inFull = await rest(read, much);
      // Node waits a second time where some of a write was sent before the first timeout.
      await sleep(6_000);
      const inPart = await rest(unread);

      expect(inFull.bytes).toBeGreaterThanOrEqual(much);
      expect(inPart.isClosed).toBe(true);
      expect(inPart.bytes).toBeLessThan(much);
    },
  );
});
