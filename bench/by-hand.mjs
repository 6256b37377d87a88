// The queries of `shapes` and `growth` written by hand: bare node:http and undici make one upstream call for each, with all
// relations expanded, and return a response of the same shape, without any checks, limits or metrics.
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [, , upstream, base] = process.argv;
const pool = new Pool(upstream, { connections: 64 });
const get = async (path, headers) =>
  (await pool.request({ method: 'GET', path: base + path, headers })).body.json();

const expansions = [
  '',
  '&$expand=salesOrderLines($select=quantity)',
  '&$expand=salesOrderLines($select=quantity;$expand=item($select=displayName))',
  '&$expand=salesOrderLines($select=quantity;$expand=item($select=displayName;$expand=itemCategory($select=code)))',
];

async function readItem({ id }) {
  const path = `/items(${id})?$select=id,number,displayName,unitPrice`;
  const { number, displayName, unitPrice } = await get(path, {});
  return { item: { id, number, displayName, unitPrice: String(unitPrice) } };
}

async function readOrders({ first }) {
  const path = '/salesOrders?$select=id,number&$expand=customer($select=id,displayName)';
  const { value } = await get(path, { prefer: `odata.maxpagesize=${first}` });
  const nodes = value.map(({ id, number, customer }) => ({
    id,
    number,
    customer: { id: customer.id, displayName: customer.displayName },
  }));
  return { salesOrders: { nodes } };
}

async function readLevels({ first }, levels) {
  const path = `/salesOrders?$select=number${expansions[levels - 1]}`;
  const { value } = await get(path, { prefer: `odata.maxpagesize=${first}` });
  const itemOf = ({ displayName, itemCategory }) => ({
    displayName,
    ...(itemCategory && { category: { code: itemCategory.code } }),
  });
  const lineOf = ({ quantity, item }) => ({
    quantity: String(quantity),
    ...(item && { item: itemOf(item) }),
  });
  const nodes = value.map(({ number, salesOrderLines }) => ({
    number,
    ...(salesOrderLines && { documentLines: salesOrderLines.map(lineOf) }),
  }));
  return { salesOrders: { nodes } };
}

function read({ query, variables }) {
  if (variables.id) return readItem(variables);
  if (query.includes('customer {')) return readOrders(variables);
  const levels = ['documentLines', 'item', 'category'].filter((name) => query.includes(`${name} {`)).length;
  return readLevels(variables, 1 + levels);
}

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', async () => {
    const company = await read(JSON.parse(Buffer.concat(pieces)));
    const text = JSON.stringify({ data: { company } });
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
