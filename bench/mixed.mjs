// A mixed load: single items, lists, one popular query, mutations and invalid documents, from 32 clients of four callers,
// with an upstream of 5 ms. Reports the latency of each kind and the growth of memory: `node bench/mixed.mjs 600` runs
// ten minutes. Exits with 1 when a limit is exceeded.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { figuresTable, keepTable } from './keep-table.mjs';
import { rssMiB, startLayer, startUpstream } from './processes.mjs';

const [, , given = '20'] = process.argv;
const seconds = Number(given);
const bars = { rssMiB: 220, growth: 1.1, outlived: 0.03 };
const profiledMs = 5_000;
const companyId = '5d115c9c-44e3-4a11-bb43-000000000000';
const idOf = (n) => `7d115c9c-44e3-4a11-bb43-${n.toString(16).padStart(12, '0')}`;

const queries = {
  item: 'query Item($id: UUID!) { company { item(id: $id) { id number displayName unitPrice } } }',
  orders:
    'query Orders($other: String) { company { salesOrders(first: 50, filter: { number: { ne: $other } }) { nodes { id number customer { id displayName } } } } }',
  open: '{ company { salesOrders(first: 20) { nodes { number status totalAmountIncludingTax } } } }',
  change:
    'mutation Price($id: UUID!) { updateItem(input: { id: $id, ifMatch: "*", patch: { unitPrice: "12.5" } }) { item { id unitPrice } userErrors { code } } }',
  none: '{ company { item(id: "no id") { nothing } } }',
};
// How many of a client's twenty requests are of each kind.
const shares = { item: 11, orders: 4, open: 2, change: 2, none: 1 };
const variablesOf = {
  item: (n) => ({ id: idOf(n) }),
  orders: (n) => ({ other: `none ${n}` }),
  change: (n) => ({ id: idOf(n) }),
};
const expected = {
  item: /"unitPrice":"/,
  orders: /"customer":{"id":"/,
  open: /"totalAmountIncludingTax":"/,
  change: /"userErrors":\[\]/,
  none: /GRAPHQL_VALIDATION_FAILED/,
};

const kinds = Object.entries(shares).flatMap(([kind, count]) => Array(count).fill(kind));
const tally = Object.fromEntries(Object.keys(shares).map((kind) => [kind, { ms: [], odd: 0 }]));
let clients = 0;

/** Twenty requests, in an order and with ids of this client only. */
function setupClient(client) {
  const own = clients++;
  const order = kinds
    .map((kind, at) => [((at + own) * 7) % kinds.length, kind])
    .toSorted(([a], [b]) => a - b);
  client.setRequests(
    order.map(([, kind], at) => {
      let sentAt = 0;
      const variables = variablesOf[kind]?.(own * kinds.length + at);
      return {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer caller-${own % 4}` },
        body: JSON.stringify({ query: queries[kind], variables }),
        setupRequest(request) {
          sentAt = performance.now();
          return request;
        },
        onResponse(_status, body) {
          const { ms } = tally[kind];
          if (ms.length < 200_000) ms.push(performance.now() - sentAt);
          if (!expected[kind].test(body)) tally[kind].odd += 1;
        },
      };
    }),
  );
}

const { upstream, port } = await startUpstream('shapes-upstream.mjs');
upstream.send({ latency: 5 });
const { layer, url } = await startLayer(
  {
    BUSINESS_URL: `http://127.0.0.1:${port}`,
    BUSINESS_COMPANY_ID: companyId,
    ADMIN_PORT: '0',
    LOG_LEVEL: 'warn',
  },
  { isProbed: true },
);

const run = autocannon({ url, connections: 32, duration: seconds, requests: [{}], setupClient });
await sleep((seconds * 1_000) / 4);
layer.send('profile');
await sleep(profiledMs);
layer.send('outlived');
const [{ outlived }] = await once(layer, 'message');
const memory = [];
let isOver = false;
run.then(() => {
  isOver = true;
});
while (!isOver) {
  await sleep(1_000);
  memory.push(rssMiB(layer));
}
const { requests, non2xx, errors } = await run;
layer.kill();
upstream.kill();
await once(layer, 'exit');

const peak = (values) => Math.max(...values);
const half = Math.floor(memory.length / 2);
const [earlier, later] = [peak(memory.slice(0, half)), peak(memory.slice(half))];
const odd = errors + Object.values(tally).reduce((sum, each) => sum + each.odd, 0);
const at = (ms, part) => ms.toSorted((a, b) => a - b)[Math.floor((ms.length - 1) * part)]?.toFixed(1) ?? '';
const names = {
  item: 'an item, ms: p50, p99',
  orders: '50 orders with customer, ms: p50, p99',
  open: 'the list that all have open, ms: p50, p99',
  change: 'a change, ms: p50, p99',
  none: 'a document that is none, ms: p50, p99',
};
const percent = (part) => `${(100 * part).toFixed(1)} %`;
const table = figuresTable([
  ['requests a second', (requests.total / seconds).toFixed(0), ''],
  ...Object.entries(tally).map(([kind, { ms }]) => [names[kind], `${at(ms, 0.5)}, ${at(ms, 0.99)}`, '']),
  ['answered otherwise than they should be', odd, 0],
  ['refused documents', non2xx, ''],
  ['seconds', seconds, ''],
  ['memory of the process at most, MiB', peak(memory).toFixed(0), bars.rssMiB],
  [
    'the same in the former and the latter half, once warm, MiB',
    `${earlier.toFixed(0)}, ${later.toFixed(0)}`,
    `${bars.growth} times`,
  ],
  ['of what was made became old', percent(outlived), percent(bars.outlived)],
]);
process.stdout.write(`${table}\n`);
keepTable('mixed', table);
const isBroken =
  outlived > bars.outlived || odd > 0 || peak(memory) > bars.rssMiB || later > bars.growth * earlier;
process.exit(isBroken ? 1 : 0);
