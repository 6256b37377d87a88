import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startTributary } from '../support/process.ts';

test.for([
  ['headers', 'a', ''],
  ['body', ' ', 'content-type: application/json\r\ncontent-length: 99\r\n\r\n{'],
])('a connection that sends its %s byte by byte is closed in 17 seconds', async ([, byte = '', rest]) => {
  const running = startTributary(['dev'], { PORT: '0' });
  const url = /Graph +(\S+)/.exec(await running.printed(/Sandbox.*\n/))?.[1] ?? '';
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname)
    .on('error', () => {})
    .resume();
  const openedAt = performance.now();
  socket.write(`POST /graphql HTTP/1.1\r\nhost: x\r\n${rest}`);
  const drip = setInterval(() => socket.write(byte), 1_000);
  await once(socket, 'close');
  clearInterval(drip);
  await running.stop('SIGKILL');

  expect(performance.now() - openedAt).toBeLessThan(17_000);
});
