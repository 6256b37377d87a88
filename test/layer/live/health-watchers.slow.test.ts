import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { testToken, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const pollMs = 2_000;
const sockets = 200;
const watchersOfSocket = 50;
const watchers = sockets * watchersOfSocket;

const test = testWith({}, { POLL_HEALTH_MS: String(pollMs) });

const watched = 'subscription { healthEventsChanged { trackingId title } }';

/** Reads of the first page of a list; a poll reads all pages. */
const polls = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ path }) => /\/events\?api-version=[\d-]+$/.test(path)).length;

test('ten thousand watchers of one list with one token make one poll in each interval, and all get a change', async ({
  layer,
  sandbox,
}) => {
  let told = 0;
  let confirmed = 0;
  // Raw clients: those of libraries would take longer than the server.
  const open = async () => {
    const socket = new WebSocket(`${layer.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    onTestFinished(() => socket.terminate());
    await once(socket, 'open');
    socket.send(
      JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${testToken}` } }),
    );
    await once(socket, 'message');
    socket.on('message', (data) => {
      const message = String(data);
      if (message.includes('"pong"')) confirmed += 1;
      else if (message.includes('Seen by everybody')) told += 1;
    });
    for (let id = 0; id < watchersOfSocket; id++)
      socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query: watched } }));
    // Answered after what was sent before it.
    socket.send(JSON.stringify({ type: 'ping' }));
  };
  for (let count = 0; count < sockets; count++) await open();
  await expect.poll(() => confirmed, { timeout: 30_000 }).toBe(sockets);
  await sleep(pollMs);

  await sandbox.forgetCalls();
  const startedAt = performance.now();
  await sleep(3 * pollMs);
  const count = await polls(sandbox);
  // One more may have begun at the edge of the time.
  expect(count).toBeLessThanOrEqual((performance.now() - startedAt) / pollMs + 1);
  expect(count).toBeGreaterThanOrEqual(2);

  await sandbox.send('POST', '/sandbox/events', {
    trackingId: 'SI_2-NOW',
    properties: { title: 'Seen by everybody' },
  });
  await expect.poll(() => told, { timeout: 30_000 }).toBe(watchers);
  expect((await sandbox.calls()).filter(({ path }) => path.includes('/events/'))).toEqual([]);
});
