// A page of 1,000 orders over a link of 20 Mbit/s and 40 ms, from an upstream that compresses when it is asked to. Compares
// compressed responses with plain ones. Exits with 1 when the bar is missed.

import { figuresTable, keepTable } from './keep-table.mjs';
import { startLink } from './link.mjs';
import { startLayer, startUpstream } from './processes.mjs';

const bars = { timesSooner: 4 };
const rounds = 9;
const query = `query ($other: String) { company { salesOrders(first: 1000, filter: { number: { ne: $other } }) { nodes {
  id etag number externalDocumentNumber orderDate postingDate requestedDeliveryDate customerId customerNumber customerName
  billToCustomerId billToCustomerNumber billToName shipToName shipToContact
  sellToAddressLine1 sellToAddressLine2 sellToCity sellToCountry sellToState sellToPostCode
  billToAddressLine1 billToAddressLine2 billToCity billToCountry billToState billToPostCode
  shipToAddressLine1 shipToAddressLine2 shipToCity shipToCountry shipToState shipToPostCode
  currencyId currencyCode pricesIncludeTax paymentTermsId shipmentMethodId salesperson partialShipping discountAmount
  totalAmountExcludingTax totalTaxAmount totalAmountIncludingTax fullyShipped status lastModifiedDateTime phoneNumber email
} } } }`;

const { upstream, port, bytes, compressedBytes } = await startUpstream('slow-link-upstream.mjs');
const link = await startLink({ port, bitsPerSecond: 20e6, roundTripMs: 40 });
const layers = [];
for (const path of ['/plain', '']) {
  layers.push(
    await startLayer({
      BUSINESS_URL: `http://127.0.0.1:${link.port}${path}`,
      BUSINESS_COMPANY_ID: '5d115c9c-44e3-4a11-bb43-000000000000',
    }),
  );
}
const times = layers.map(() => []);
// In turn: the machine may be slower for a while.
for (let round = 0; round < rounds + 3; round += 1) {
  for (const [at, { url }] of layers.entries()) {
    const measured = await measure(url, round);
    if (round >= 3) times[at].push(measured);
  }
}
for (const { layer } of layers) layer.kill();
link.stop();
upstream.kill();

const medianOf = (all, name) => all.map((one) => one[name]).sort((a, b) => a - b)[Math.floor(rounds / 2)];
const figures = (name) => times.map((all) => medianOf(all, name));
const show = ([plain, compressed]) => `${plain.toFixed(0)}, ${compressed.toFixed(0)}`;
const [call, whole] = [figures('call'), figures('whole')];
const timesSooner = call[0] / call[1];
const kib = (number) => Math.round(number / 1024).toLocaleString('en');
const table = figuresTable([
  ['KiB of the page: plain, compressed', `${kib(bytes)}, ${kib(compressedBytes)}`, ''],
  ['ms of the call, median: without compression, with it', show(call), ''],
  ['… times sooner', timesSooner.toFixed(1), bars.timesSooner],
  ['ms of the whole query: plain, compressed', show(whole), ''],
]);
process.stdout.write(`${table}\n`);
keepTable('slow link', table);
process.exit(timesSooner < bars.timesSooner ? 1 : 0);

async function measure(url, round) {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer bench', 'tributary-explain': '1' },
    body: JSON.stringify({ query, variables: { other: `none ${round}` } }),
  });
  const { data, errors, extensions } = await response.json();
  if (errors) throw new Error(errors[0].message);
  if (data.company.salesOrders.nodes.length !== 1000) throw new Error('expected 1,000 orders');
  return { whole: performance.now() - startedAt, call: extensions.upstream[0].milliseconds };
}
