import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { startTestLayer } from '../../support/layer.ts';
import { asDeployed, busyOf, requestsOf, testDisturbed } from '../../support/proxies/disturbed.ts';

const deadlineMs = 600;
const test = testDisturbed({ REQUEST_TIMEOUT_MS: String(deadlineMs) });

const list = '{ company { customers(first: 20) { nodes { id displayName city } } } }';
const callers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ authorization: `Bearer patient-caller-${index}` }));

test.for([
  ['byte by byte', { pieces: { bytes: 1, everyMs: 20 } }],
  ['after ten times the deadline', { latencyMs: 10 * deadlineMs }],
] as const)(
  'responses that arrive %s are aborted at the deadline with their connections, and requested once',
  async ([, toxic], { proxy, sandbox }) => {
    // So many that are late would have the upstream left alone before the last of them is sent.
    const settings = {
      ...asDeployed,
      UPSTREAM_BREAKER_FAILURES: '1000000',
      REQUEST_TIMEOUT_MS: String(deadlineMs),
    };
    const layer = await startTestLayer(proxy.url, settings);
    proxy.next({ ...toxic, times: 1_000 });

    const answers = await Promise.all(callers(20).map((headers) => layer.query(list, {}, headers)));

    const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code);
    expect(codes).toEqual(Array(20).fill('UPSTREAM_TIMEOUT'));
    expect(requestsOf(proxy).length).toBeLessThanOrEqual(20);
    expect((await sandbox.calls()).length).toBeLessThanOrEqual(20);
    await expect.poll(() => busyOf(proxy)).toEqual([]);
    await layer.stop();
  },
);

test('a deadline holds for all attempts together', async ({ disturbed, proxy }) => {
  proxy.next({ resetAt: 0 });
  proxy.next({ latencyMs: 10 * deadlineMs, times: 9 });

  const { errors } = await disturbed.query(list);

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  expect(requestsOf(proxy)).toHaveLength(2);
});

test('a list whose second page always breaks is an error, never a short list', async ({
  disturbed,
  proxy,
  sandbox,
}) => {
  const path = `/api/v2.0/companies(${sandboxCompanyId})/customers`;
  const row = { id: '00000000-0000-4000-8000-000000000001', displayName: 'The first' };
  const body = { value: [row], '@odata.nextLink': `${sandbox.url}${path}?$skiptoken=second` };
  await sandbox.fault({ path: '/customers', status: 200, body });
  proxy.next({ on: 'skiptoken', cutAt: 120, times: 9 });

  const { data, errors } = await disturbed.query(list);

  expect(data.company.customers).toBeNull();
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect(requestsOf(proxy).map((line) => line.includes('skiptoken'))).toEqual([false, true, true, true]);
});

/** An upstream whose answers have no end. */
async function startEndless(headers: Readonly<Record<string, string>>, piece: Uint8Array) {
  const upstream = { sent: 0, requests: 0 };
  const server = createServer((_request, response) => {
    upstream.requests += 1;
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    const go = () => {
      let hasRoom = !response.destroyed;
      while (hasRoom) {
        upstream.sent += piece.length;
        hasRoom = response.write(piece);
      }
    };
    response.on('drain', go);
    go();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(upstream, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => void server.close(),
  });
}

const limit = 4 * 1024 * 1024;
const unsized = Buffer.alloc(64 * 1024, ' ');
const queries = {
  'a list': [list, 1],
  'a batch of reads, halved once,': [
    `{ company { ${['a', 'b', 'c', 'd', 'e'].map((name, at) => `${name}: items(first: ${at + 1}) { nodes { number } }`).join(' ')} } }`,
    3,
  ],
} as const;

// A stream that unpacks to a thousand times its size, which nobody asked for.
const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024, ' '));

test.for([
  ...Object.entries(queries).map(([name, [query, times]]) => [name, {}, unsized, query, times] as const),
  ['a list, packed,', { 'content-encoding': 'gzip' }, bomb, list, 1],
] as const)(
  'where the response to %s never ends it is aborted at the size limit, requested once, and never cached',
  async ([, headers, piece, query, times]) => {
    const upstream = await startEndless(headers, piece);
    const layer = await startTestLayer(upstream.url, { ...asDeployed, MAX_RESPONSE_BYTES: String(limit) });
    const before = process.memoryUsage.rss();

    const { errors } = await layer.query(query);
    const grown = process.memoryUsage.rss() - before;
    await layer.stop();
    upstream.stop();

    for (const { extensions } of errors ?? []) expect(extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
    expect(errors?.length).toBeGreaterThan(0);
    expect(upstream.requests).toBe(times);
    // What lies in the buffers of both ends was sent, but not read.
    expect(upstream.sent).toBeLessThan(times * (limit + 16 * 1024 * 1024));
    expect(grown).toBeLessThan(64 * 1024 * 1024);
  },
);
