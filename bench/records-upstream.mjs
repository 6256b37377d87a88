// An upstream of area A with as many orders as a page requests, of four lines each, of 200 customers, and of 500 items in
// 20 categories, which it expands. Responds at once or after a delay, builds each response once, and counts requests and
// bytes. Messages: `{ latency }` in ms, and `counts`, which reports and resets the counts.
import { createServer } from 'node:http';

const idOf = (kind, n) => `${kind}d115c9c-44e3-4a11-bb43-${n.toString(16).padStart(12, '0')}`;
const numberOf = (id) => Number.parseInt(id.slice(-12), 16);
const etag = (n) => `W/"${Buffer.from(`'19;${10 ** 15 + n};00;'`).toString('base64')}"`;

const linesPerOrder = 4;
const counted = { customers: 200, items: 500, itemCategories: 20, paymentTerms: 5 };
const customerOf = (order) => (order * 7) % counted.customers;
const itemOf = (line) =>
  (Math.floor(line / linesPerOrder) * 13 + (line % linesPerOrder) * 101) % counted.items;

const columns = {
  salesOrders: (n) => ({
    '@odata.etag': etag(n),
    id: idOf(5, n),
    number: `S-ORD${n}`,
    customerId: idOf(6, customerOf(n)),
  }),
  salesOrderLines: (n) => ({ lineType: 'Item', itemNo: String(1000 + itemOf(n)), quantity: (n % 4) + 1 }),
  customers: (n) => ({
    '@odata.etag': etag(n),
    id: idOf(6, n),
    displayName: `Customer ${n}`,
    paymentTermsId: idOf(9, n % counted.paymentTerms),
  }),
  paymentTerms: (n) => ({ '@odata.etag': etag(n), id: idOf(9, n), displayName: `${n} days` }),
  items: (n) => ({
    '@odata.etag': etag(n),
    id: idOf(7, n),
    number: String(1000 + n),
    displayName: `Item ${n}`,
    unitPrice: n + 0.25,
    itemCategoryId: idOf(8, n % counted.itemCategories),
  }),
  itemCategories: (n) => ({ '@odata.etag': etag(n), id: idOf(8, n), code: `CAT${n}` }),
};
/** By navigation: the entity set, and the number of one record or of several. */
const navigations = {
  salesOrderLines: (order) => [
    'salesOrderLines',
    Array.from({ length: linesPerOrder }, (_, at) => order * linesPerOrder + at),
  ],
  customer: (order) => ['customers', customerOf(order)],
  paymentTerm: (customer) => ['paymentTerms', customer % counted.paymentTerms],
  item: (line) => ['items', itemOf(line)],
  itemCategory: (item) => ['itemCategories', item % counted.itemCategories],
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
  const [, set, id] = /\/(\w+)(?:\(([^)]*)\))?$/.exec(pathname) ?? [];
  const select = searchParams.get('$select')?.split(',') ?? [];
  const expand = parseExpand(searchParams.get('$expand'));
  if (id) return rowOf(set, numberOf(id), select, expand);
  const size = Number(/maxpagesize=(\d+)/.exec(prefer)?.[1] ?? 50);
  // A filter of orders only makes requests different; other records are requested by number or by id.
  const keys = [...(searchParams.get('$filter') ?? '').matchAll(/'(\d+)'|([0-9a-f-]{36})/g)];
  const numbers =
    set === 'salesOrders'
      ? Array.from({ length: size }, (_, n) => n)
      : keys.map(([, number, found]) => (number ? Number(number) - 1000 : numberOf(found)));
  return { value: numbers.map((n) => rowOf(set, n, select, expand)) };
}

const bytesOf = (body) => Buffer.from(JSON.stringify(body));

/** The response to an OData JSON batch. */
async function answerBatch(request) {
  const { requests } = JSON.parse(Buffer.concat(await request.toArray()));
  const responses = requests.map(({ id, url, headers }) => {
    const body = answerTo(url, headers?.prefer ?? headers?.Prefer ?? '');
    return { id, status: 200, headers: { 'content-type': 'application/json' }, body };
  });
  return bytesOf({ responses });
}

const made = new Map();
let counts = { calls: 0, bytes: 0 };
let latencyMs = 0;

function responseTo({ url, headers: { prefer = '' } }) {
  const key = `${prefer} ${url.replace(/\$filter=number%20ne[^&]*&?/, '')}`;
  const known = made.get(key);
  if (known) return known;
  const bytes = bytesOf(answerTo(url, prefer));
  made.set(key, bytes);
  return bytes;
}

const server = createServer(async (request, response) => {
  counts.calls += 1;
  const isBatch = request.method === 'POST';
  if (!isBatch) request.resume();
  const bytes = isBatch ? await answerBatch(request) : responseTo(request);
  counts.bytes += bytes.length;
  const send = () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
    response.end(bytes);
  };
  if (latencyMs > 0) setTimeout(send, latencyMs);
  else send();
});
process.on('message', (message) => {
  if (message.latency !== undefined) latencyMs = message.latency;
  if (message !== 'counts') return;
  process.send(counts);
  counts = { calls: 0, bytes: 0 };
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
