// The most common shapes of queries, compared with the same upstream calls made by hand. The server has a core of its own;
// the upstream and the clients share the other one. Also measures how cost grows with rows, depth and clients. Exits with
// 1 when a limit is exceeded.
import { spawnSync } from 'node:child_process';
import autocannon from 'autocannon';
import { ask, startServer, startTributary } from './processes.mjs';
import { writeTable } from './tables.mjs';

const seconds = 3;
const companyId = '5d115c9c-44e3-4a11-bb43-000000000000';
const idOf = (n) => `7d115c9c-44e3-4a11-bb43-${n.toString(16).padStart(12, '0')}`;
const bars = { orders: 0.4, item: 0.42, p50: 2, p99: 1.5 };

const onCore = (core, { pid }) => spawnSync('taskset', ['-cp', String(core), String(pid)]);
onCore(1, process);
const { server: upstream, url: upstreamUrl } = await startServer('records-upstream.mjs');
onCore(1, upstream);

const orders = (first, fields = 'id number customer { id displayName }') => ({
  query: `query Orders($first: Int, $other: String) { company { salesOrders(first: $first, filter: { number: { ne: $other } }) { nodes { ${fields} } } } }`,
  variablesOf: (n) => ({ first, other: `none ${n}` }),
});
const item = {
  query: 'query Item($id: UUID!) { company { item(id: $id) { id number displayName unitPrice } } }',
  variablesOf: (n) => ({ id: idOf(n) }),
};
const hot = { ...orders(50), variablesOf: () => ({ first: 50, other: 'none' }) };

/** Cycles through 200 different requests, so that no two in flight are equal. */
const bodiesOf = ({ query, variablesOf }) =>
  Array.from({ length: 200 }, (_, n) => JSON.stringify({ query, variables: variablesOf(n) }));

const headers = { 'content-type': 'application/json', authorization: 'Bearer the-token-of-the-bench' };

async function load(url, bodies, { connections = 32, duration = seconds } = {}) {
  // Errors in a response of 200 are no failure to the load generator.
  const { errors } = await (await fetch(url, { method: 'POST', headers, body: bodies[0] })).json();
  if (errors) throw new Error(errors[0].message);
  const requests = bodies.map((body) => ({ method: 'POST', headers, body }));
  // Each client starts at another request, so that no two in flight are equal.
  let clients = 0;
  const setupClient = (client) => {
    const start = (clients++ * 6) % requests.length;
    client.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
  };
  await autocannon({ url, connections, duration: 2, requests, setupClient });
  await ask(upstream, 'counts');
  const result = await autocannon({ url, connections, duration, requests, setupClient });
  const { calls } = await ask(upstream, 'counts');
  if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx + result.errors} requests failed`);
  const { p50, p99 } = result.latency;
  return { rps: result.requests.total / result.duration, p50, p99, calls: calls / result.requests.total };
}

async function withServer(start, use) {
  const { server, url } = await start();
  onCore(0, server);
  try {
    return await use(url);
  } finally {
    server.kill();
  }
}

const startByHand = () => startServer('by-hand.mjs', [upstreamUrl, `/api/v2.0/companies(${companyId})`]);
// No limit per caller toward the upstream; metrics are on, as by default.
const startOurs = () =>
  startTributary(
    { BUSINESS_URL: upstreamUrl, BUSINESS_COMPANY_ID: companyId, ADMIN_PORT: '0', LOG_LEVEL: 'warn' },
    { UPSTREAM_CALLS_PER_CALLER: 64 },
  );

/** Runs one shape against both in turn, five times, and takes the middle ratio. */
const compare = (shape, options) =>
  withServer(startByHand, (byHandUrl) =>
    withServer(startOurs, async (url) => {
      const rounds = [];
      for (let round = 0; round < 5; round++) {
        const byHand = await load(byHandUrl, bodiesOf(shape), options);
        const ours = await load(url, bodiesOf(shape), options);
        rounds.push({ byHand, ours, share: ours.rps / byHand.rps });
      }
      return rounds.toSorted((a, b) => a.share - b.share)[2];
    }),
  );

const number = (value) => value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 });
const rowOf = (name, { byHand, ours, share }, bar) =>
  [name, number(byHand.rps), number(ours.rps), share.toFixed(2), bar, number(ours.calls)].map(String);

const compared = {
  orders: await compare(orders(50)),
  item: await compare(item),
  hot: await compare(hot),
};
upstream.send({ latency: 20 });
const slow = await compare(orders(50));
// Half of what the server by hand can do, so that latency is not that of a queue.
const halfLoad = await compare(orders(50), { connections: 16 });
upstream.send({ latency: 0 });

const growth = await withServer(startOurs, async (url) => {
  const measured = [];
  for (const first of [1, 10, 100, 1000])
    measured.push([
      `${first} orders with customer`,
      await load(url, bodiesOf(orders(first)), { duration: 3 }),
    ]);
  const depths = ['id', 'id customer { id }', 'id customer { id paymentTerm { id displayName } }'];
  for (const [depth, fields] of depths.entries())
    measured.push([
      `50 orders, ${depth + 1} deep`,
      await load(url, bodiesOf(orders(50, fields)), { duration: 3 }),
    ]);
  for (const connections of [1, 8, 32, 128])
    measured.push([
      `50 orders with customer, ${connections} clients`,
      await load(url, bodiesOf(orders(50)), { connections, duration: 3 }),
    ]);
  return measured;
});
upstream.kill();

const { byHand, ours } = halfLoad;
writeTable('shapes', [
  [
    ['shape, 32 clients', 'by hand, a second', 'Tributary, a second', 'share', 'bar', 'calls for each'],
    [
      rowOf('50 orders with customer', compared.orders, bars.orders),
      rowOf('one item by id', compared.item, bars.item),
      rowOf('the same 50 orders from all clients', compared.hot, ''),
      rowOf('50 orders, an upstream of 20 ms', slow, ''),
    ],
  ],
  [
    ['50 orders, an upstream of 20 ms', 'by hand', 'Tributary', 'bar'],
    [
      ['16 clients: p50, ms', byHand.p50, ours.p50, byHand.p50 + bars.p50],
      ['16 clients: p99, ms', byHand.p99, ours.p99, (byHand.p99 * bars.p99).toFixed(1)],
      ['32 clients: p50, ms', slow.byHand.p50, slow.ours.p50, ''],
      ['32 clients: p99, ms', slow.byHand.p99, slow.ours.p99, ''],
    ],
  ],
  [
    ['what grows', 'a second', 'p50, ms', 'p99, ms', 'calls for each'],
    growth.map(([name, { rps, p50, p99, calls }]) => [name, number(rps), p50, p99, number(calls)]),
  ],
]);
const isBroken =
  compared.orders.share < bars.orders ||
  compared.item.share < bars.item ||
  ours.p50 > byHand.p50 + bars.p50 ||
  ours.p99 > byHand.p99 * bars.p99;
process.exit(isBroken ? 1 : 0);
