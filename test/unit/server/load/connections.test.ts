import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createConnections, endAfterResponse, startStream } from '../../../../src/server/load/connections.ts';
import { endWithRejection } from '../../../../src/server/rejection.ts';

/** A server whose responses a test sends, and a client that says what it has received when its connection is closed. */
async function started() {
  const handled: { url: string | undefined; response: ServerResponse }[] = [];
  const { oneAtATime, trackServer } = createConnections({
    delayMs: 0,
    timeoutMs: 0,
    log: pino({ level: 'silent' }),
  });
  const server = createServer(oneAtATime(({ url }, response) => void handled.push({ url, response })));
  trackServer(server);
  server.on('clientError', (_error, socket: Socket) => {
    if (!endAfterResponse(socket)) endWithRejection(socket, '400 Bad Request', 'Bad', 'BAD_USER_INPUT');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  client
    .on('error', () => {})
    .on('data', (chunk) => {
      received += chunk;
    });
  const closed = once(client, 'close').then(() => received);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return {
    handled,
    closed,
    send: (...urls: string[]) =>
      client.write(urls.map((url) => `GET ${url} HTTP/1.1\r\nhost: a\r\n\r\n`).join('')),
    sendText: (text: string) => client.write(text),
    /** The response of the one request that is handled now. */
    async current(url: string): Promise<ServerResponse> {
      await expect.poll(() => handled.map((one) => one.url), { interval: 5 }).toEqual([url]);
      return handled.splice(0)[0]?.response as ServerResponse;
    },
    received: () => received,
  };
}

test('a request is handled when the response to the one before it is sent', async () => {
  const { send, current, handled, received } = await started();
  send('/1', '/2');
  const first = await current('/1');
  send('/3');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(handled).toEqual([]);
  first.end('one');
  (await current('/2')).end('two');
  (await current('/3')).end('three');

  await expect.poll(received).toMatch(/one.*two.*three/s);
});

test.each([
  ['comes after the stream has started', ['/1'], ['/2']],
  ['waits when the stream starts', ['/1', '/2'], []],
])('a request ends the connection when it %s', async (_when, before, after) => {
  const { send, current, closed, handled } = await started();
  send(...before);
  const stream = await current('/1');
  expect(startStream(stream)).toBe(after.length > 0);
  if (after.length > 0) stream.write('event');
  send(...after);

  await closed;
  expect(handled).toEqual([]);
});

const posted = (header: string) => `POST /2 HTTP/1.1\r\nhost: a\r\n${header}\r\n\r\n`;

test.each([
  ['behind 16 others', 'GET /2 HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(17)],
  ['with a body of 16 KiB', posted(`content-length: ${16 * 1024}`)],
  ['with a body in chunks', posted('transfer-encoding: chunked')],
])('a request that waits %s ends the connection, and none is handled', async (_how, text) => {
  const { send, sendText, current, closed, handled } = await started();
  send('/1');
  await current('/1');
  sendText(text);

  await closed;
  expect(handled).toEqual([]);
});

test('no request is handled behind a response that closes the connection', async () => {
  const { send, current, closed, handled } = await started();
  send('/1', '/2');
  const first = await current('/1');
  first.shouldKeepAlive = false;
  first.end('one');

  expect(await closed).toContain('one');
  expect(handled).toEqual([]);
});

test('what is no request is answered neither in place of the request before it nor within its response', async () => {
  const { send, sendText, current, closed } = await started();
  send('/1');
  const first = await current('/1');
  sendText('nonsense\r\n\r\n');
  await new Promise((resolve) => setTimeout(resolve, 50));
  first.end('one');

  const received = await closed;
  expect(received).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(received).not.toContain('400');
});

test('a rejected connection is closed although its client keeps its side open', async () => {
  const server = createTcpServer({ allowHalfOpen: true }, (socket) =>
    endWithRejection(socket, '408 Request Timeout', 'Late', 'BAD_USER_INPUT'),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  let received = '';
  for await (const chunk of client.iterator({ destroyOnReturn: false })) received += chunk;

  expect(received).toMatch(/^HTTP\/1\.1 408 /);
  const countOpen = () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
  await expect.poll(countOpen).toBe(0);
});
