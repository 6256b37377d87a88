// One verified caller sends as much as it can over 400 connections: slow, throttled, identical and expensive queries, and
// queries of an area that hangs. Meanwhile another verified caller sends `{ __typename }` 40 times a second. The limits are
// promises of the project; exits with 1 when one is exceeded.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Pool } from 'undici';
import { figuresTable, keepTable } from './keep-table.mjs';
import { startLayer, startUpstream } from './processes.mjs';

const bars = { p99Ms: 250, refused: 0, grownMiB: 256 };
const connections = 400;
const forMs = 8_000;
const lightEveryMs = 25;
// Shorter than the second of `Retry-After`, which most clients honour.
const againMs = 250;
const retryAfter = 20;

const orders = (first) =>
  `query ($other: String) { company { salesOrders(first: ${first}, filter: { number: { ne: $other } }) { nodes { id number status customer { id displayName city } } } } }`;
const manyLists = `{ company { ${Array.from({ length: 10 }, (_, n) => `a${n}: salesOrders(first: 1000, filter: { number: { ne: "${n}" } }) { nodes { id number customer { id } } }`).join(' ')} } }`;
const kinds = {
  'slow: 400 ms': { latency: 400, bodyAt: (n) => ({ query: orders(50), variables: { other: `none ${n}` } }) },
  'throttled for 20 s': {
    throttle: retryAfter,
    bodyAt: (n) => ({ query: orders(50), variables: { other: `none ${n}` } }),
  },
  'identical, 400 ms': { latency: 400, bodyAt: () => ({ query: orders(50), variables: { other: 'none' } }) },
  'expensive: 1,000 orders with customer': {
    bodyAt: (n) => ({ query: orders(1000), variables: { other: `none ${n}` } }),
  },
  'more expensive: ten such lists': { bodyAt: () => ({ query: manyLists }) },
  'an area that hangs': {
    latency: 60_000,
    bodyAt: (n) => ({ query: orders(50), variables: { other: `none ${n}` } }),
  },
};

const issuer = await startIssuer();
const { upstream, port } = await startUpstream('shapes-upstream.mjs');
const { layer, url } = await startLayer(
  {
    ...issuer.settings,
    BUSINESS_URL: `http://127.0.0.1:${port}`,
    MANAGEMENT_URL: `http://127.0.0.1:${port}`,
    BUSINESS_COMPANY_ID: '5d115c9c-44e3-4a11-bb43-000000000000',
    // The default: a quarter of all.
    MAX_REQUESTS_PER_CALLER: '',
  },
  { isProbed: true },
);
const { origin, pathname: path } = new URL(url);
const light = await issuer.token('light');
let callers = 0;
const lightPool = new Pool(origin, { connections: 40 });

async function send(pool, token, body) {
  const askedAt = performance.now();
  const { statusCode, body: answer } = await pool.request({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  await answer.dump({ limit: Number.MAX_SAFE_INTEGER });
  return { statusCode, ms: performance.now() - askedAt };
}

/** Measures the light caller while the heavy one sends requests of a kind. */
async function meet({ latency = 0, throttle = 0, bodyAt }) {
  // A new caller each time: the one before may still be throttled.
  const eager = await issuer.token(`eager ${++callers}`);
  upstream.send({ latency, throttle });
  const pool = new Pool(origin, { connections, headersTimeout: 0, bodyTimeout: 0 });
  const until = performance.now() + forMs;
  const eagerStatuses = new Map();
  let sent = 0;
  const work = async () => {
    while (performance.now() < until) {
      const { statusCode } = await send(pool, eager, bodyAt(sent++)).catch(() => ({ statusCode: 0 }));
      eagerStatuses.set(statusCode, (eagerStatuses.get(statusCode) ?? 0) + 1);
      if (statusCode !== 200) await sleep(againMs);
    }
  };
  const all = Array.from({ length: connections }, work);
  const asked = [];
  while (performance.now() < until) {
    asked.push(send(lightPool, light, { query: '{ __typename }' }));
    await sleep(lightEveryMs);
  }
  const told = await Promise.all(asked);
  await pool.destroy();
  await Promise.all(all);
  upstream.send({ latency: 0, throttle: 0 });
  return { told, sent, answered: eagerStatuses.get(200) ?? 0 };
}

async function memoryOf() {
  layer.send('report');
  const [report] = await once(layer, 'message');
  return report;
}

const at = (values, part) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? 0;
const rows = [];
const broken = [];
try {
  for (let n = 0; n < 200; n++) {
    await send(lightPool, light, { query: '{ __typename }' });
    await send(lightPool, light, { query: orders(50), variables: { other: `none ${n}` } });
  }
  const { rssMiB } = await memoryOf();
  for (const [kind, what] of Object.entries(kinds)) {
    const { told, sent, answered } = await meet(what);
    const times = told.map(({ ms }) => ms);
    const refused = told.filter(({ statusCode }) => statusCode !== 200).length;
    const p99 = at(times, 0.99);
    rows.push(
      [`${kind}: sent, answered`, `${sent.toLocaleString('en')}, ${answered.toLocaleString('en')}`, ''],
      [
        '… the other caller, ms: p50, p99',
        `${at(times, 0.5).toFixed(1)}, ${p99.toFixed(1)}`,
        `p99 ${bars.p99Ms}`,
      ],
      ['… of whose requests are not answered', refused, bars.refused],
    );
    if (p99 > bars.p99Ms || refused > bars.refused) broken.push(kind);
  }
  const { peakRssMiB } = await memoryOf();
  const grown = peakRssMiB - rssMiB;
  rows.push(['memory of the process over its start, MiB', grown.toFixed(0), bars.grownMiB]);
  if (grown > bars.grownMiB) broken.push('memory');
} finally {
  layer.kill();
  upstream.kill();
  issuer.stop();
  await lightPool.destroy();
}
const table = figuresTable(rows);
process.stdout.write(`${table}\n`);
keepTable('neighbours', table);
process.exit(broken.length > 0 ? 1 : 0);

/** Issues tokens and serves the key set that verifies them. */
async function startIssuer() {
  const [name, audience] = ['https://issuer.example', 'api://tributary'];
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const key = { ...(await exportJWK(publicKey)), kid: 'first', alg: 'ES256' };
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: [key] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    settings: {
      JWT_ISSUER: name,
      JWT_AUDIENCE: audience,
      JWT_JWKS_URL: `http://127.0.0.1:${server.address().port}/keys`,
    },
    token: (subject) =>
      new SignJWT({})
        .setProtectedHeader({ alg: 'ES256', kid: 'first' })
        .setIssuer(name)
        .setAudience(audience)
        .setSubject(subject)
        .setExpirationTime('1h')
        .sign(privateKey),
    stop: () => server.close(),
  };
}
