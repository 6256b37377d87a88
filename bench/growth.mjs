// How cost grows with callers, rows, levels of relations and the latency of the upstream: upstream calls and bytes,
// latency and memory, beside one call by hand. One thing grows at a time, in a process of its own. `--quick`
// takes a second for each instead of four. Exits with 1 when Tributary needs more calls or clearly more time.
import { Pool } from 'undici';
import { ask, rssMiB, spread, startServer, startTributary } from './processes.mjs';
import { writeTable } from './tables.mjs';

const isQuick = process.argv.includes('--quick');
const [warmUpMs, measuredMs] = isQuick ? [300, 1_000] : [1_000, 4_000];
const clients = 16;
const companyId = '5d115c9c-44e3-4a11-bb43-000000000000';
// At most one call for each level, where loading by key is cheaper than expanding; a fifth more time than by hand, for the
// slowest upstream only: elsewhere it is the processor's.
const bars = { callsPerLevel: 1.02, p50: 1.2 };

const selections = [
  'number',
  'number documentLines { quantity }',
  'number documentLines { quantity item { displayName } }',
  'number documentLines { quantity item { displayName category { code } } }',
];
const queryOf = (levels) =>
  `query Orders($first: Int, $other: String) { company { salesOrders(first: $first, filter: { number: { ne: $other } }) { nodes { ${selections[levels - 1]} } } } }`;

const cases = [
  // From 0 ms on one row, so that every caller comes back several times.
  ...[10, 100, 1_000, 10_000].map((callers) => ({ callers, rows: 1, levels: 1, latency: 0 })),
  ...[1, 10, 100, 1_000].map((rows) => ({ callers: 100, rows, levels: 3, latency: 20 })),
  ...[1, 2, 3, 4].map((levels) => ({ callers: 100, rows: 100, levels, latency: 20 })),
  ...[0, 20, 150].map((latency) => ({ callers: 100, rows: 50, levels: 3, latency })),
];

const { server: upstream, url: upstreamUrl } = await startServer('records-upstream.mjs');
const startByHand = () => startServer('by-hand.mjs', [upstreamUrl, `/api/v2.0/companies(${companyId})`]);
// No limit applies: all clients have one address, and by hand there are none.
const startOurs = () =>
  startTributary(
    { BUSINESS_URL: upstreamUrl, BUSINESS_COMPANY_ID: companyId, BUSINESS_ITEM_V1: 'off' },
    { MAX_LOOP_DELAY_MS: 60_000, MAX_REQUESTS: 100_000, UPSTREAM_CALLS_PER_CALLER: 64 },
  );

let sent = 0;

/** Every client sends again when it is answered, each request with the token of the next caller. */
async function load(pool, { callers, rows, levels }, forMs) {
  const query = queryOf(levels);
  const until = performance.now() + forMs;
  const latencies = [];
  const client = async () => {
    while (performance.now() < until) {
      const n = sent++;
      const headers = { 'content-type': 'application/json', authorization: `Bearer caller-${n % callers}` };
      // Another value each time, so that no two requests are equal.
      const body = JSON.stringify({ query, variables: { first: rows, other: `none ${n}` } });
      const sentAt = performance.now();
      const response = await pool.request({ method: 'POST', path: '/graphql', headers, body });
      const text = await response.body.text();
      latencies.push(performance.now() - sentAt);
      if (response.statusCode !== 200 || /"errors"|"item":null/.test(text))
        throw new Error(text.slice(0, 500));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return latencies;
}

async function measure(start, given) {
  const { server, url } = await start();
  const pool = new Pool(new URL(url).origin, { connections: clients });
  try {
    await load(pool, given, warmUpMs);
    await ask(upstream, 'counts');
    const latencies = await load(pool, given, measuredMs);
    const { calls, bytes } = await ask(upstream, 'counts');
    const [p50, p99] = spread(latencies);
    return {
      calls: calls / latencies.length,
      kib: bytes / latencies.length / 1_024,
      p50,
      p99,
      rss: rssMiB(server),
    };
  } finally {
    await pool.destroy();
    server.kill();
  }
}

const digits = { calls: 2, kib: 1, p50: 1, p99: 1, rss: 0 };
const rows = [];
let isBroken = false;
for (const given of cases) {
  upstream.send({ latency: given.latency });
  const byHand = await measure(startByHand, given);
  const ours = await measure(startOurs, given);
  isBroken ||= ours.calls > given.levels * bars.callsPerLevel;
  isBroken ||= given.latency === 150 && ours.p50 > byHand.p50 * bars.p50;
  const pairs = Object.entries(digits).map(
    ([name, count]) => `${ours[name].toFixed(count)}, ${byHand[name].toFixed(count)}`,
  );
  const { callers, rows: count, levels, latency } = given;
  rows.push([callers.toLocaleString('en'), count.toLocaleString('en'), levels, latency, ...pairs]);
}
upstream.kill();

const titles = [
  ...['callers', 'rows', 'levels', 'upstream, ms', 'calls for each', 'upstream KiB for each'],
  ...['p50, ms', 'p99, ms', 'memory, MiB'],
];
writeTable('growth', [[titles, rows]], !isQuick);
process.exit(isBroken ? 1 : 0);
