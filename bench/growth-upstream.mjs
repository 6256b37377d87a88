// An upstream of area A with as many orders as a page requests, of four lines each, of 500 items in 20 categories, each of
// which it expands. Responds at once or after a delay, builds each response once, and counts requests and bytes. Messages:
// `latency` (ms) and `forget`, which reports and resets the counts.
import { createServer } from 'node:http';
import { answerBatch } from './answer-batch.mjs';

const companyId = '5d115c9c-44e3-4a11-bb43-000000000000';
const idOf = (kind, n) => `${kind}d115c9c-44e3-4a11-bb43-${n.toString(16).padStart(12, '0')}`;
const etag = (n) => `W/"${Buffer.from(`'19;${10 ** 15 + n};00;'`).toString('base64')}"`;

const linesPerOrder = 4;
const [items, categories] = [500, 20];
const itemOfLine = (n) => (Math.floor(n / linesPerOrder) * 13 + (n % linesPerOrder) * 101) % items;

const columns = {
  salesOrders: (n) => ({ '@odata.etag': etag(n), id: idOf(5, n), number: `S-ORD${n}` }),
  salesOrderLines: (n) => ({ lineType: 'Item', itemNo: String(1000 + itemOfLine(n)), quantity: (n % 4) + 1 }),
  items: (n) => ({
    '@odata.etag': etag(n),
    id: idOf(7, n),
    number: String(1000 + n),
    displayName: `Item ${n}`,
    itemCategoryId: idOf(8, n % categories),
  }),
  itemCategories: (n) => ({
    '@odata.etag': etag(n),
    id: idOf(8, n),
    code: `CAT${n}`,
    displayName: `Category ${n}`,
  }),
};
/** By navigation: the entity set, and the number of one record or of several. */
const navigations = {
  salesOrderLines: (order) => [
    'salesOrderLines',
    Array.from({ length: linesPerOrder }, (_, at) => order * linesPerOrder + at),
  ],
  item: (line) => ['items', itemOfLine(line)],
  itemCategory: (item) => ['itemCategories', item % categories],
};

/** Parses `name($select=a,b;$expand=other(…))`, one navigation for each level. */
function parseExpand(text) {
  const [, name, options] = /^(\w+)\((.*)\)$/.exec(text ?? '') ?? [];
  if (!name) return null;
  const [select, ...inner] = options.split(';$expand=');
  return {
    name,
    select: select.replace('$select=', '').split(','),
    expand: parseExpand(inner.join(';$expand=')),
  };
}

function rowOf(set, n, select, expand) {
  const row = Object.fromEntries(
    Object.entries(columns[set](n)).filter(([name]) => name.startsWith('@') || select.includes(name)),
  );
  if (!expand) return row;
  const [other, numbers] = navigations[expand.name](n);
  const related = (number) => rowOf(other, number, expand.select, expand.expand);
  return { ...row, [expand.name]: Array.isArray(numbers) ? numbers.map(related) : related(numbers) };
}

function answerTo(target, prefer) {
  const { pathname, searchParams } = new URL(target, 'http://upstream');
  const set = /\/(\w+)$/.exec(pathname)?.[1];
  const select = searchParams.get('$select')?.split(',') ?? [];
  const expand = parseExpand(searchParams.get('$expand'));
  const size = Number(/maxpagesize=(\d+)/.exec(prefer)?.[1] ?? 50);
  // Items are requested by their numbers. A filter of orders only makes requests different.
  const numbers =
    set === 'items'
      ? [...searchParams.get('$filter').matchAll(/'(\d+)'/g)].map(([, number]) => Number(number) - 1000)
      : Array.from({ length: size }, (_, n) => n);
  return { value: numbers.map((n) => rowOf(set, n, select, expand)) };
}

const made = new Map();
let counts = { calls: 0, bytes: 0 };
let latencyMs = 0;

function responseTo(target, prefer) {
  const key = `${prefer} ${target.replace(/\$filter=number%20ne[^&]*&/, '')}`;
  const known = made.get(key);
  if (known) return known;
  const bytes = Buffer.from(JSON.stringify(answerTo(target, prefer)));
  made.set(key, bytes);
  return bytes;
}

const server = createServer(async (request, response) => {
  counts.calls += 1;
  const isBatch = request.method === 'POST';
  if (!isBatch) request.resume();
  const bytes = isBatch
    ? await answerBatch(request, answerTo)
    : responseTo(request.url, request.headers.prefer ?? '');
  counts.bytes += bytes.length;
  const send = () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
    response.end(bytes);
  };
  if (latencyMs > 0) setTimeout(send, latencyMs);
  else send();
});
process.on('message', ({ latency, forget }) => {
  if (latency !== undefined) latencyMs = latency;
  if (forget) {
    process.send(counts);
    counts = { calls: 0, bytes: 0 };
  }
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port, companyId }));
