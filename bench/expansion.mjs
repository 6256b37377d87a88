// Orders with their customers, by `$expand` and by key, where either could be faster: few or many rows, narrow or wide
// columns, few or many customers, near and far upstreams. One client; medians. Exits with 1 when the choice of
// `BUSINESS_EXPAND=auto` is clearly slower than the better of both.
import { once } from 'node:events';
import { Pool } from 'undici';
import { keepTable } from './keep-table.mjs';
import { startLayer, startUpstream } from './processes.mjs';

const companyId = '5d115c9c-44e3-4a11-bb43-000000000000';
// The first requests show `auto` how many different customers the rows lead to, and what calls take.
const [warmUp, measured, rounds] = [10, 20, 3];
const bars = { times: 1.2, ms: 1 };

const selections = {
  narrow: 'id displayName',
  wide: 'id number displayName addressLine1 addressLine2 city email website',
};
const queryOf = (columns) =>
  `query Orders($first: Int, $other: String) { company { salesOrders(first: $first, filter: { number: { ne: $other } }) { nodes { id number customer { ${selections[columns]} } } } } }`;

const { upstream, port } = await startUpstream('shapes-upstream.mjs');

async function withLayer(policy, use) {
  const { layer, url } = await startLayer({
    BUSINESS_URL: `http://127.0.0.1:${port}`,
    BUSINESS_COMPANY_ID: companyId,
    BUSINESS_EXPAND: policy,
  });
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin);
  let sent = 0;
  const ask = async (rows, columns) => {
    // Another value each time, so that no two requests are equal.
    const variables = { first: rows, other: `none ${sent++}` };
    const sentAt = performance.now();
    const { body } = await pool.request({
      method: 'POST',
      path: pathname,
      headers: { 'content-type': 'application/json', authorization: 'Bearer the-token-of-the-bench' },
      body: JSON.stringify({ query: queryOf(columns), variables }),
    });
    const text = await body.text();
    if (text.includes('"errors"')) throw new Error(text.slice(0, 500));
    return performance.now() - sentAt;
  };
  try {
    return await use(ask);
  } finally {
    await pool.destroy();
    layer.kill();
  }
}

async function measure(policy, rows, columns) {
  return withLayer(policy, async (ask) => {
    for (let n = 0; n < warmUp; n++) await ask(rows, columns);
    upstream.send({ forget: true });
    await once(upstream, 'message');
    const times = [];
    for (let n = 0; n < measured; n++) times.push(await ask(rows, columns));
    upstream.send({ forget: true });
    const [{ calls }] = await once(upstream, 'message');
    return { ms: times.toSorted((a, b) => a - b)[measured / 2], calls: calls / measured };
  });
}

const median = (results) => results.toSorted((a, b) => a.ms - b.ms)[(results.length - 1) / 2];

const cases = [0, 20, 150].flatMap((latency) =>
  [
    { rows: 50, columns: 'narrow', customers: 200 },
    { rows: 1_000, columns: 'narrow', customers: 200 },
    { rows: 1_000, columns: 'wide', customers: 200 },
    { rows: 1_000, columns: 'wide', customers: 5 },
  ].map((given) => ({ latency, ...given })),
);

const table = [];
let isBroken = false;
for (const { latency, rows, columns, customers } of cases) {
  upstream.send({ latency, customers });
  const results = { always: [], never: [], auto: [] };
  for (let round = 0; round < rounds; round++)
    for (const [policy, list] of Object.entries(results)) list.push(await measure(policy, rows, columns));
  const [always, never, auto] = Object.values(results).map(median);
  isBroken ||= auto.ms > Math.min(always.ms, never.ms) * bars.times + bars.ms;
  const cells = [always.ms, never.ms, auto.ms].map((ms) => ms.toFixed(1));
  table.push([latency, rows.toLocaleString('en'), customers, columns, ...cells, auto.calls.toFixed(1)]);
}
upstream.kill();

const text = [
  '| upstream, ms | orders | customers | columns | expanded, ms | by key, ms | `auto`, ms | its calls |',
  '|---:|---:|---:|---|---:|---:|---:|---:|',
  ...table.map((row) => `| ${row.join(' | ')} |`),
].join('\n');
process.stdout.write(`${text}\n`);
keepTable('expansion', text);
process.exit(isBroken ? 1 : 0);
