// An upstream with plenty of everything: records with every column, orders with twenty lines each, 2,000 health events,
// and the keys for verifying callers. Builds each response once. Reports its port and a token for each of two callers.
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const idOf = (n) => `5d115c9c-44e3-4a11-bb43-${n.toString(16).padStart(12, '0')}`;
const linesOfOrder = 20;
const events = 2_000;
const issuer = 'https://issuer.example';
const audience = 'api://tributary';

const columnValue = (column, n) => {
  if (column === 'id' || column.endsWith('Id')) return idOf(n % 100);
  if (/Date$/.test(column)) return '2026-08-21';
  if (/DateTime$/.test(column)) return '2026-08-21T10:11:12Z';
  if (column === 'lineNo') return n;
  if (column === 'taxLiable') return true;
  if (/amount|price|quantity|percent|balance|limit/i.test(column)) return n + 0.25;
  return `${column} of number ${n}`;
};
const rowOf = (columns, n) => Object.fromEntries(columns.map((column) => [column, columnValue(column, n)]));
const line = 'id,lineType,lineNo,itemId,itemNo,description,quantity,unitPrice,amountIncludingTax'.split(',');

function recordsOf(target, prefer) {
  const url = new URL(target, 'http://upstream');
  const columns = (url.searchParams.get('$select') ?? 'id,number,displayName').split(',');
  const one = /\((?:[0-9a-f-]{24})([0-9a-f]{12})\)$/.exec(url.pathname)?.[1];
  const isExpanded = url.searchParams.get('$expand')?.includes('salesOrderLines');
  const row = (n) => ({
    ...rowOf(columns, n),
    id: idOf(n),
    ...(isExpanded && { salesOrderLines: Array.from({ length: linesOfOrder }, (_, at) => rowOf(line, at)) }),
  });
  if (one) return row(Number.parseInt(one, 16));
  const ids = url.searchParams.get('$filter')?.match(/^id eq [0-9a-f-]{36}|(?<= or id eq )[0-9a-f-]{36}/g);
  if (ids) return { value: ids.map((id) => row(Number.parseInt(id.slice(-12), 16))) };
  const size = Number(/maxpagesize=(\d+)/.exec(prefer)?.[1] ?? 50);
  return { value: Array.from({ length: size }, (_, n) => row(n)) };
}

const event = (n) => ({
  id: `/providers/x/events/T${n}`,
  name: `T${n}`,
  properties: {
    title: `Event ${n}`,
    status: 'Active',
    eventLevel: 'Warning',
    lastUpdateTime: '2026-08-21T10:11:12Z',
    impact: [
      {
        impactedService: 'Storage',
        impactedRegions: Array.from({ length: 20 }, (_, at) => ({ impactedRegion: `Region ${at}` })),
      },
    ],
  },
});

const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'first', alg: 'ES256' }] };
const tokenOf = (subject) =>
  new SignJWT({ scp: 'user_impersonation' })
    .setProtectedHeader({ alg: 'ES256', kid: 'first' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setExpirationTime('2h')
    .sign(privateKey);

const made = new Map();
const bytesOf = (key, make) => {
  if (made.size > 500) made.clear();
  const before = made.get(key);
  if (before) return before;
  const bytes = Buffer.from(JSON.stringify(make()));
  made.set(key, bytes);
  return bytes;
};
const answerTo = (target, prefer) => {
  if (target === '/keys') return keys;
  if (target.includes('Health')) return { value: Array.from({ length: events }, (_, n) => event(n)) };
  return recordsOf(target, prefer);
};

const server = createServer(async (request, response) => {
  const { prefer = '' } = request.headers;
  let body = '';
  for await (const chunk of request) body += chunk;
  const send = (bytes) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
    response.end(bytes);
  };
  if (!request.url.endsWith('/$batch'))
    return send(bytesOf(`${prefer} ${request.url}`, () => answerTo(request.url, prefer)));
  const root = request.url.slice(0, -'$batch'.length);
  const responses = JSON.parse(body).requests.map(({ id, url, headers = {} }) => ({
    id,
    status: 200,
    headers: {},
    body: recordsOf(root + url, headers.prefer ?? headers.Prefer ?? ''),
  }));
  send(Buffer.from(JSON.stringify({ responses })));
});
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  const url = `http://127.0.0.1:${port}`;
  process.send({
    url,
    settings: { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: `${url}/keys` },
    tokens: { hostile: await tokenOf('hostile'), honest: await tokenOf('honest') },
  });
});
