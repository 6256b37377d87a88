// An upstream that responds at once or after a delay: 1,000 orders of 200 customers, and items by id, which accept changes
// without keeping them. Builds each response once and counts its requests. Messages: `latency`, `throttle` (seconds)
// and `forget`.
import { createServer } from 'node:http';
import { answerBatch } from './answer-batch.mjs';

const hex = (n, length) => n.toString(16).padStart(length, '0');
const idOf = (kind, n) => `${kind}d115c9c-44e3-4a11-bb43-${hex(n, 12)}`;
const customers = 200;
const etag = (n) => `W/"${Buffer.from(`'19;${10 ** 15 + n};00;'`).toString('base64')}"`;

const order = (n) => ({
  '@odata.etag': etag(n),
  id: idOf(5, n),
  number: `S-ORD${n}`,
  orderDate: '2026-08-21',
  customerId: idOf(6, (n * 7) % customers),
  status: 'Open',
  totalAmountIncludingTax: n + 0.5,
});
const customer = (n) => ({
  '@odata.etag': etag(n),
  id: idOf(6, n),
  number: `C${n}`,
  displayName: `Customer ${n}`,
  addressLine1: `${n} Peachtree Street North East`,
  addressLine2: 'Building of the head office',
  city: 'Atlanta',
  email: `orders.${n}@customers.example.com`,
  website: `https://customers.example.com/${n}/about`,
  paymentTermsId: idOf(8, n % 5),
});
const paymentTerm = (n) => ({ '@odata.etag': etag(n), id: idOf(8, n), displayName: `${n} days` });
const item = (n) => ({
  '@odata.etag': etag(n),
  id: idOf(7, n),
  number: String(1000 + n),
  displayName: `Item ${n}`,
  unitPrice: n + 0.25,
});

const picked = (row, names) =>
  Object.fromEntries(
    ['@odata.etag', ...names].filter((name) => name in row).map((name) => [name, row[name]]),
  );

function answerTo(target, prefer) {
  const url = new URL(target, 'http://upstream');
  const names = url.searchParams.get('$select')?.split(',') ?? [];
  const [, set, id] = /\/(\w+)(?:\(([^)]*)\))?$/.exec(url.pathname) ?? [];
  const byId = { items: item, customers: customer }[set];
  if (id && byId) {
    const one = byId(Number.parseInt(id.slice(-12), 16));
    return names.length > 0 ? picked(one, names) : one;
  }
  const expand = url.searchParams.get('$expand') ?? '';
  const expandedNames = (navigation) =>
    new RegExp(`${navigation}\\(\\$select=([\\w,]+)`).exec(expand)?.[1].split(',');
  const [customerNames, termNames] = ['customer', 'paymentTerm'].map(expandedNames);
  const customerWith = (n, columns) => ({
    ...picked(customer(n), columns),
    ...(termNames && { paymentTerm: picked(paymentTerm(n % 5), termNames) }),
  });
  const size = Number(/maxpagesize=(\d+)/.exec(prefer)?.[1] ?? 50);
  if (set === 'salesOrders')
    return {
      value: Array.from({ length: size }, (_, n) => ({
        ...picked(order(n), names),
        ...(customerNames && { customer: customerWith((n * 7) % customers, customerNames) }),
      })),
    };
  const ids = [...(url.searchParams.get('$filter') ?? '').matchAll(/[0-9a-f-]{36}/g)];
  return { value: ids.map(([found]) => customerWith(Number.parseInt(found.slice(-12), 16), names)) };
}

const made = new Map();
let calls = 0;
let latencyMs = 0;
let throttledSeconds = 0;
const server = createServer(async (request, response) => {
  calls += 1;
  if (throttledSeconds > 0) {
    response.writeHead(429, { 'retry-after': throttledSeconds }).end();
    return;
  }
  const { prefer = '' } = request.headers;
  const key = `${prefer} ${request.url}`;
  const isBatch = request.method === 'POST' && request.url.endsWith('$batch');
  if (!isBatch) request.resume();
  let text = isBatch ? await answerBatch(request, answerTo) : made.get(key);
  if (text === undefined) {
    text = Buffer.from(JSON.stringify(answerTo(request.url, prefer)));
    made.set(key, text);
  }
  const send = () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
    response.end(text);
  };
  if (latencyMs > 0) setTimeout(send, latencyMs);
  else send();
});
process.on('message', ({ latency, throttle, forget }) => {
  if (latency !== undefined) latencyMs = latency;
  if (throttle !== undefined) throttledSeconds = throttle;
  if (forget) {
    process.send({ calls });
    calls = 0;
  }
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
