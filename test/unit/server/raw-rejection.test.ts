import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { endWithRejection } from '../../../src/server/rejection.ts';

test('a rejected connection is closed although its client keeps its side open', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) =>
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
