// The queries of the growth benchmark written by hand: bare node:http and undici make one upstream call for each, with all
// relations expanded, and return a response of the same shape, without any checks, limits or metrics.
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [, , upstream, base] = process.argv;
const pool = new Pool(upstream, { connections: 64 });

const expansions = [
  '',
  '&$expand=salesOrderLines($select=quantity)',
  '&$expand=salesOrderLines($select=quantity;$expand=item($select=displayName))',
  '&$expand=salesOrderLines($select=quantity;$expand=item($select=displayName;$expand=itemCategory($select=code)))',
];

async function answer({ first, levels }, authorization) {
  const response = await pool.request({
    method: 'GET',
    path: `${base}/salesOrders?$select=number${expansions[levels - 1]}`,
    headers: { authorization, prefer: `odata.maxpagesize=${first}` },
  });
  const { value } = await response.body.json();
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
  return JSON.stringify({ data: { company: { salesOrders: { nodes } } } });
}

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', async () => {
    const { query, variables } = JSON.parse(Buffer.concat(pieces));
    const levels =
      1 + ['documentLines', 'item', 'category'].filter((name) => query.includes(`${name} {`)).length;
    const text = await answer({ first: variables.first, levels }, request.headers.authorization);
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
