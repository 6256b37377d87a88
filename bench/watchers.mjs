// 10,000 subscribers of one operation: 200 WebSockets with 50 subscriptions each, of one caller, three rounds or as many
// as its argument says. The limits are promises of the project; exits with 1 when one is exceeded.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { ask, rssMiB, startServer, startTributary } from './processes.mjs';
import { writeTable } from './tables.mjs';

const bars = { fanOutMs: 2_000, rssMiB: 500, releasedMs: 5_000 };
const sockets = 200;
const watchersOfSocket = 50;
const changes = [20, 40, 60, 80];
const rounds = Number(process.argv[2] ?? 3);
const token = 'bench';
const pollsASecond = 1.2;

const { server: upstream, url: upstreamUrl } = await startServer('operation-upstream.mjs');
const { server, url } = await startTributary({ MANAGEMENT_URL: upstreamUrl });
const results = [];
try {
  const id = await startOperation(url);
  for (let round = 1; round <= rounds; round++) results.push({ round, ...(await measure(url, id)) });
} finally {
  server.kill();
  upstream.kill();
}

const titles = [
  'round',
  'one change to all watchers, ms (bar 2,000)',
  'polls a second (bar 1.2)',
  'memory with all, MiB (bar 500)',
  'polling ended after the last left, ms (bar 5,000)',
  'memory then, MiB',
];
const rows = results.map(({ round, fanOutMs, polls, peakMiB, releasedMs, leftMiB }) => [
  round,
  fanOutMs.toFixed(0),
  polls.toFixed(1),
  peakMiB.toFixed(0),
  releasedMs.toFixed(0),
  leftMiB.toFixed(0),
]);
writeTable('watchers', [[titles, rows]], process.argv.length === 2);
const isBroken = results.some(
  ({ fanOutMs, peakMiB, releasedMs, polls }) =>
    fanOutMs > bars.fanOutMs || peakMiB > bars.rssMiB || releasedMs > bars.releasedMs || polls > pollsASecond,
);
process.exit(isBroken ? 1 : 0);

async function startOperation(url) {
  const query = `mutation { stopApplicationInstance(input: { instance: { names: {
    subscriptionId: "s", resourceGroupName: "g", virtualInstanceName: "v", applicationInstanceName: "a"
  } } }) { operation { id } } }`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  return (await response.json()).data.stopApplicationInstance.operation.id;
}

async function measure(url, id) {
  upstream.send(0);
  const told = new Map();
  const open = [];
  for (let count = 0; count < sockets; count++) open.push(await openSocket(url, id, told));
  await until(() => told.get(0)?.count === sockets * watchersOfSocket);
  await ask(upstream, 'polls');
  const startedAt = performance.now();
  let fanOutMs = 0;
  for (const percent of changes) {
    upstream.send(percent);
    await until(() => told.get(percent)?.count === sockets * watchersOfSocket);
    const { first, last } = told.get(percent);
    fanOutMs = Math.max(fanOutMs, last - first);
  }
  const polls = (await ask(upstream, 'polls')) / ((performance.now() - startedAt) / 1000);
  const peakMiB = rssMiB(server);
  for (const socket of open) socket.close();
  const leftAt = performance.now();
  let releasedMs = 0;
  do {
    await ask(upstream, 'polls');
    releasedMs = performance.now() - leftAt;
    await sleep(1_500);
  } while ((await ask(upstream, 'polls')) > 0 && releasedMs < 2 * bars.releasedMs);
  await sleep(2_000);
  return { fanOutMs, polls, peakMiB, releasedMs, leftMiB: rssMiB(server) };
}

/** A raw graphql-ws client: client libraries would dominate the measurement. */
async function openSocket(url, id, told) {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
  await once(socket, 'message');
  socket.on('message', (data) => {
    const percent = Number(/"percentComplete":(\d+)/.exec(data)?.[1]);
    const now = performance.now();
    const seen = told.get(percent) ?? { count: 0, first: now, last: now };
    told.set(percent, { ...seen, count: seen.count + 1, last: now });
  });
  const query = 'subscription ($id: ID!) { operationProgress(id: $id) { status percentComplete } }';
  for (let place = 0; place < watchersOfSocket; place++) {
    const payload = { query, variables: { id } };
    socket.send(JSON.stringify({ id: String(place), type: 'subscribe', payload }));
  }
  return socket;
}

async function until(condition) {
  const startedAt = performance.now();
  while (!condition()) {
    if (performance.now() - startedAt > 60_000) throw new Error('the watchers were not told within a minute');
    await sleep(5);
  }
}
