// Two replicas behind a TCP balancer, compared with one behind the same: processor time for a thousand requests, and
// requests a second, which are twice as many only where each replica, the balancer, the upstream and the clients have a
// core. With the URL of a Redis as argument, also two replicas that share it and count requests of callers in it. Exits
// with 1 when a replica of two costs more than the bar.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { keepTable } from './keep-table.mjs';
import { cpuSeconds, startLayer, startUpstream } from './processes.mjs';

const [, , redisUrl] = process.argv;
const seconds = 4;
const rounds = 3;
const bar = 1.15;
const cores = availableParallelism();
const companyId = '5d115c9c-44e3-4a11-bb43-000000000000';
const idOf = (n) => `7d115c9c-44e3-4a11-bb43-${n.toString(16).padStart(12, '0')}`;

const shapes = {
  '50 orders with customer': {
    query:
      'query Orders($other: String) { company { salesOrders(first: 50, filter: { number: { ne: $other } }) { nodes { id number customer { id displayName } } } } }',
    variablesOf: (n) => ({ other: `none ${n}` }),
  },
  'one item by id': {
    query: 'query Item($id: UUID!) { company { item(id: $id) { id number displayName unitPrice } } }',
    variablesOf: (n) => ({ id: idOf(n) }),
  },
};

const onCore = (core, { pid }) => spawnSync('taskset', ['-cp', String(core % cores), String(pid)]);
const { upstream, port } = await startUpstream('shapes-upstream.mjs');
const ownCore = cores >= 4 ? 2 : 1;
onCore(ownCore, process);
onCore(ownCore, upstream);

/** Starts replicas, the first on core 0 and the second on core 1, and a balancer before them. */
async function startReplicas(count, env) {
  const replicas = await Promise.all(
    Array.from({ length: count }, () =>
      startLayer(
        {
          BUSINESS_URL: `http://127.0.0.1:${port}`,
          BUSINESS_COMPANY_ID: companyId,
          ADMIN_PORT: '0',
          LOG_LEVEL: 'warn',
          ...env,
        },
        { constants: { UPSTREAM_CALLS_PER_CALLER: 64 } },
      ),
    ),
  );
  for (const [at, { layer }] of replicas.entries()) onCore(at, layer);
  const balancer = fork(
    fileURLToPath(new URL('balancer.mjs', import.meta.url)),
    replicas.map(({ url }) => new URL(url).port),
  );
  const [{ port: balancerPort }] = await once(balancer, 'message');
  onCore(cores >= 4 ? 3 : 1, balancer);
  return {
    url: `http://127.0.0.1:${balancerPort}/graphql`,
    balancer,
    layers: replicas.map(({ layer }) => layer),
  };
}

async function load(url, { query, variablesOf }, duration) {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer the-token-of-the-bench' };
  const requests = Array.from({ length: 200 }, (_, n) => ({
    method: 'POST',
    headers,
    body: JSON.stringify({ query, variables: variablesOf(n) }),
  }));
  // Each client starts at another request, so that no two in flight are equal.
  let clients = 0;
  const setupClient = (client) => {
    const start = (clients++ * 6) % requests.length;
    client.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
  };
  const {
    requests: sent,
    non2xx,
    errors,
    duration: took,
  } = await autocannon({
    url,
    connections: 32,
    duration,
    requests,
    setupClient,
  });
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} requests failed`);
  return { count: sent.total, perSecond: sent.total / took };
}

/** Milliseconds of processor time for a request, of the replicas together and of the balancer; requests a second. */
async function measure(shape, count, env) {
  const { url, balancer, layers } = await startReplicas(count, env);
  try {
    await load(url, shape, 2);
    const cpuOfLayers = () => layers.reduce((sum, layer) => sum + cpuSeconds(layer), 0);
    const [before, balancerBefore] = [cpuOfLayers(), cpuSeconds(balancer)];
    const { count: sent, perSecond } = await load(url, shape, seconds);
    const perThousand = (used) => (used * 1_000) / sent;
    return {
      cpu: perThousand(cpuOfLayers() - before),
      balancerCpu: perThousand(cpuSeconds(balancer) - balancerBefore),
      perSecond,
    };
  } finally {
    for (const each of [balancer, ...layers]) each.kill();
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const shared = { REDIS_URL: redisUrl, MAX_REQUESTS_PER_SECOND: '1000000' };
const setups = [
  ['2 replicas', 2, {}],
  ...(redisUrl ? [['2 replicas, each request counted in Redis', 2, shared]] : []),
];

const rows = [];
let isBroken = false;
for (const [name, shape] of Object.entries(shapes)) {
  const ones = [];
  const others = setups.map(() => []);
  for (let round = 0; round < rounds; round++) {
    ones.push(await measure(shape, 1, {}));
    for (const [at, [, count, env]] of setups.entries()) others[at].push(await measure(shape, count, env));
  }
  const rowOf = (setup, measured) => {
    const [cpu, balancerCpu, perSecond] = ['cpu', 'balancerCpu', 'perSecond'].map((figure) =>
      median(measured.map((each) => each[figure])),
    );
    // Ratios of runs that followed each other: the machine's speed varies.
    const ratio = (figure) => median(measured.map((each, round) => each[figure] / ones[round][figure]));
    return {
      cpuRatio: ratio('cpu'),
      cells: [
        name,
        setup,
        cpu.toFixed(2),
        ratio('cpu').toFixed(2),
        balancerCpu.toFixed(2),
        perSecond.toFixed(0),
        ratio('perSecond').toFixed(2),
      ],
    };
  };
  rows.push(rowOf('1 replica', ones).cells);
  for (const [at, [setup, , env]] of setups.entries()) {
    const { cells, cpuRatio } = rowOf(setup, others[at]);
    rows.push(cells);
    if (!env.REDIS_URL) isBroken ||= cpuRatio > bar;
  }
}
upstream.kill();

const table = [
  `| ${cores} cores, 32 clients | replicas | CPU seconds for 1,000 requests | times one (bar ${bar}) | of the balancer | requests a second | times one |`,
  '|---|---|---:|---:|---:|---:|---:|',
  ...rows.map((row) => `| ${row.join(' | ')} |`),
].join('\n');
process.stdout.write(`${table}\n`);
keepTable('replicas', table);
process.exit(isBroken ? 1 : 0);
