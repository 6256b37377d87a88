// The floor without GraphQL: bare node:http and undici make the same upstream calls by hand and return a response of the
// same shape, without any checks, limits or metrics.
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [, , upstream, base] = process.argv;
const pool = new Pool(upstream, { connections: 64 });
const get = async (path, headers) =>
  (await pool.request({ method: 'GET', path: base + path, headers })).body.json();

async function orders(first) {
  const headers = { prefer: `odata.maxpagesize=${first}` };
  const path = '/salesOrders?$select=id,number&$expand=customer($select=id,displayName)';
  const { value } = await get(path, headers);
  const nodes = value.map(({ id, number, customer }) => ({
    id,
    number,
    customer: { id: customer.id, displayName: customer.displayName },
  }));
  return { company: { salesOrders: { nodes } } };
}

async function item(id) {
  const { number, displayName, unitPrice } = await get(
    `/items(${id})?$select=id,number,displayName,unitPrice`,
  );
  return { company: { item: { id, number, displayName, unitPrice: String(unitPrice) } } };
}

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', async () => {
    const { query, variables } = JSON.parse(Buffer.concat(pieces));
    const data = query.includes('salesOrders') ? await orders(variables.first) : await item(variables.id);
    const text = JSON.stringify({ data });
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${server.address().port}/graphql\n`),
);
