import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { type TestLayer, testToken, testWith } from '../../support/layer.ts';

const test = testWith({}, { POLL_HEALTH_MS: '250', MAX_ANSWER_BYTES: '33000000' });

const many = 100;
const trackingId = 'SA_5-XYZ';
// More than the buffers between two processes take, wherever they stand.
const summary = 'x'.repeat(4_500_000);

async function watch(layer: TestLayer, fields: string) {
  const socket = new WebSocket(`${layer.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => {});
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${testToken}` } }));
  await once(socket, 'message');
  const told = new Map<string, number>();
  socket.on('message', (data) => {
    const title = /"title":"([^"]*)"/.exec(String(data))?.[1];
    if (title) told.set(title, performance.now());
  });
  const query = `subscription { healthEventChanged(trackingId: "${trackingId}") { ${fields} } }`;
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
  await once(socket, 'message');
  return { socket, told };
}

test('for a slow subscriber only the latest event is kept, and a hundred others get all events', async ({
  layer,
  sandbox,
}) => {
  const tell = async (title: string) => {
    const toldAt = performance.now();
    await sandbox.send('POST', '/sandbox/events', { trackingId, properties: { title, summary } });
    return toldAt;
  };
  await tell('before');
  const others = await Promise.all(
    Array.from({ length: many }, (_, at) => watch(layer, at % 2 === 0 ? 'title' : 'title status')),
  );
  const lastTold = async (title: string, toldAt: number) => {
    await expect.poll(() => others.every(({ told }) => told.has(title))).toBe(true);
    return Math.max(...others.map(({ told }) => told.get(title) as number)) - toldAt;
  };
  const slow = await watch(layer, 'title summary');
  const told = async (titles: readonly string[]) => {
    const waits: number[] = [];
    for (const title of titles) {
      waits.push(await lastTold(title, await tell(title)));
      await sleep(100);
    }
    return Math.max(...waits);
  };
  // As often as beside the slow one, so that load on the machine counts on both sides.
  const alone = await told(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']);

  slow.socket.pause();
  const beside = await told(['b', 'c', 'd', 'e', 'f', 'g', 'h']);
  slow.socket.resume();

  await expect.poll(() => slow.told.has('h')).toBe(true);
  // Without those that nobody was to wait for: 'before', seven alone, seven beside.
  expect(slow.told.size).toBeLessThan(15);
  expect(beside).toBeLessThan(2 * alone + 500);
  for (const { socket } of [...others, slow]) {
    expect(socket.readyState).toBe(socket.OPEN);
    socket.terminate();
  }
});
