// 20,000 rows read as 20 pages, from an upstream that honours the page size and from upstreams that return everything at
// once. The limits are promises of the project; exits with 1 when one is exceeded.
import { once } from 'node:events';
import { keepTable } from './keep-table.mjs';
import { startLayer, startUpstream } from './processes.mjs';

const bars = { blockedMs: 200, peakRssMiB: 400 };
const pageSize = 1000;
const columns =
  'id etag number displayName type addressLine1 addressLine2 city state country postalCode phoneNumber email website balanceDue creditLimit taxLiable taxAreaId taxAreaDisplayName taxRegistrationNumber currencyId currencyCode paymentTermsId shipmentMethodId paymentMethodId blocked lastModifiedDateTime';
const query = `query ($after: String) { company {
  customers(first: ${pageSize}, after: $after) { nodes { ${columns} } pageInfo { hasNextPage endCursor } }
} }`;

const { upstream, port, bytes } = await startUpstream('upstream.mjs');
const results = [];
try {
  for (const behaviour of ['paged', 'whole', 'digits']) results.push(await measure(behaviour));
} finally {
  upstream.kill();
}

const cells = results.map(({ behaviour, rows, seconds, blockedMs, peakRssMiB }) => [
  { paged: 'pages of 1,000', whole: 'all at once', digits: 'all at once, a number of 19 digits among them' }[
    behaviour
  ],
  rows.toLocaleString('en'),
  (rows / seconds).toFixed(0),
  blockedMs.toFixed(0),
  peakRssMiB.toFixed(0),
]);
const table = [
  '| the upstream answers | rows read | rows a second | event loop blocked, ms (bar 200) | peak memory, MiB (bar 400) |',
  '|---|---:|---:|---:|---:|',
  ...cells.map((row) => `| ${row.join(' | ')} |`),
].join('\n');
process.stdout.write(`${(bytes / 2 ** 20).toFixed(1)} MiB of rows, 20 pages each\n\n${table}\n`);
keepTable('large lists', table);
const isBroken = results.some(
  ({ blockedMs, peakRssMiB }) => blockedMs > bars.blockedMs || peakRssMiB > bars.peakRssMiB,
);
process.exit(isBroken ? 1 : 0);

async function measure(behaviour) {
  const { layer, url } = await startLayer(
    {
      BUSINESS_URL: `http://127.0.0.1:${port}/${behaviour}`,
      BUSINESS_COMPANY_ID: '5d115c9c-44e3-4a11-bb43-000000000000',
    },
    { isProbed: true },
  );
  const ended = once(layer, 'exit').then(() => {
    throw new Error('the layer has ended');
  });
  try {
    return await Promise.race([readAll(layer, url, behaviour), ended]);
  } finally {
    layer.kill();
  }
}

async function readAll(layer, url, behaviour) {
  await readPage(url, null);
  layer.send('forget');
  const startedAt = performance.now();
  let rows = 0;
  for (let after = null, isMore = true; isMore; ) {
    const { nodes, pageInfo } = await readPage(url, after);
    rows += nodes.length;
    after = pageInfo.endCursor;
    isMore = pageInfo.hasNextPage;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  layer.send('report');
  const [report] = await once(layer, 'message');
  if (rows !== 20_000) throw new Error(`${behaviour}: expected 20,000 rows, got ${rows}`);
  return { behaviour, rows, seconds, ...report };
}

async function readPage(url, after) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
    body: JSON.stringify({ query, variables: { after } }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(JSON.stringify(errors[0]));
  return data.company.customers;
}
