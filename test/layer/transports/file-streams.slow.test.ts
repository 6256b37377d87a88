import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { test as base, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { fixture } from '../../support/fixture.ts';
import { startTestLayer, testToken } from '../../support/layer.ts';
import { startTributary } from '../../support/process.ts';

const record = '7d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e';
const page = { value: [{ '@odata.etag': 'W/"1"', id: record, number: 'PS-INV1' }] };
const query = '{ company { salesInvoices(first: 1) { nodes { pdf { url } } } } }';
const megabyte = Buffer.alloc(1024 * 1024, 'x');

type Answer = (
  response: ServerResponse,
  headers: Readonly<Record<string, string | string[] | undefined>>,
) => void;

/** An upstream whose PDFs a test sends as it likes, and what became of its calls. */
const test = base.extend(
  'upstream',
  fixture(async ({ onCleanup }) => {
    const calls = { open: 0, answer: null as Answer | null };
    const server = createServer((request, response) => {
      if (!request.url?.includes('pdfDocumentContent')) {
        response.setHeader('content-type', 'application/json');
        return void response.end(JSON.stringify(page));
      }
      calls.open += 1;
      response.on('close', () => {
        calls.open -= 1;
      });
      calls.answer?.(response, request.headers);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onCleanup(() => {
      server.closeAllConnections();
      server.close();
    });
    return Object.assign(calls, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  }),
);

const settings = { BUSINESS_DIALECT: 'dynamics', BUSINESS_COMPANY_ID: sandboxCompanyId };

async function urlOf(graph: string, token: string): Promise<string> {
  const response = await fetch(`${graph}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  const { data } = (await response.json()) as {
    data: { company: { salesInvoices: { nodes: { pdf: { url: string } }[] } } };
  };
  return graph + data.company.salesInvoices.nodes[0]?.pdf.url;
}

/** Sends so many megabytes, as fast as they are read. */
const sendMegabytes =
  (count: number): Answer =>
  (response) => {
    response.writeHead(200, {
      'content-type': 'application/pdf',
      'content-length': String(count * megabyte.length),
    });
    pipeline(Readable.from(Array.from({ length: count }, () => megabyte)), response, () => {});
  };

/** A reader that reads nothing until it is told to. */
function startReader(url: string, token: string, connection = 'close') {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\nconnection: ${connection}\r\n\r\n`,
  );
  return socket;
}

test('a file of 50 MB passes through a process that grows by less than 16 MB, also with 200 slow readers', async ({
  upstream,
}) => {
  const running = startTributary(['serve'], {
    PORT: '0',
    ADMIN_PORT: '0',
    BUSINESS_URL: upstream.url,
    ...settings,
    OPERATION_SECRETS: 'a secret of this test',
  });
  const text = await running.printed(/graphql[,"]/);
  const graph = /at (\S+)\/graphql/.exec(text)?.[1] ?? '';
  const rss = () => {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8'))?.[1]) / 1024;
  };
  upstream.answer = sendMegabytes(50);
  const url = await urlOf(graph, 'reader');
  const read = async () => {
    const response = await fetch(url, { headers: { authorization: 'Bearer reader' } });
    let bytes = 0;
    for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
    return bytes;
  };
  // What the process needs for any file, it has after some.
  const seen: number[] = [];
  for (let reads = 0; reads < 4; reads += 1) {
    await read();
    seen.push(rss());
  }
  const before = Math.max(...seen);

  expect(await read()).toBe(50 * megabyte.length);
  const after = rss();
  const urls = await Promise.all(Array.from({ length: 200 }, (_, index) => urlOf(graph, `slow-${index}`)));
  const readers = urls.map((one, index) => startReader(one, `slow-${index}`));
  for (const reader of readers) reader.pause();
  await expect.poll(() => upstream.open).toBe(200);
  const others = await fetch(`${graph}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer other' },
    body: JSON.stringify({ query }),
  });
  const held = rss();
  for (const reader of readers) reader.destroy();
  await expect.poll(() => upstream.open, { timeout: 1_000 }).toBe(0);

  expect(after - before).toBeLessThan(16);
  expect(others.status).toBe(200);
  // Of each reader, what is in buffers of sockets and streams.
  expect(held - after).toBeLessThan(200);
  await running.stop();
});

test('when its reader goes away, the call of the upstream ends within a second', async ({ upstream }) => {
  const layer = await startTestLayer(upstream.url, settings);
  upstream.answer = sendMegabytes(50);
  const url = await urlOf(layer.url, 'reader');
  const reader = startReader(url, 'reader');
  await once(reader, 'data');
  expect(upstream.open).toBe(1);

  reader.destroy();

  await expect.poll(() => upstream.open, { timeout: 1_000 }).toBe(0);
  await layer.stop();
});

test('a file that the upstream cuts is cut, and not told as whole', async ({ upstream }) => {
  const layer = await startTestLayer(upstream.url, settings);
  for (const isChunked of [false, true]) {
    upstream.answer = (response) => {
      response.writeHead(200, isChunked ? {} : { 'content-length': '1000' });
      response.write('half', () => response.destroy());
    };
    const response = await fetch(await urlOf(layer.url, 'reader'), {
      headers: { authorization: 'Bearer reader' },
    });

    await expect(response.arrayBuffer()).rejects.toThrow();
  }
  await layer.stop();
});

test('several ranges are answered with the whole file', async ({ upstream }) => {
  const layer = await startTestLayer(upstream.url, settings);
  const url = await urlOf(layer.url, 'reader');
  const ranges: unknown[] = [];
  upstream.answer = (response, { range, 'if-range': ifRange }) => {
    ranges.push(range, ifRange);
    response.end('whole');
  };

  const response = await fetch(url, {
    headers: { authorization: 'Bearer reader', range: 'bytes=0-1,3-4', 'if-range': '"1"' },
  });

  expect([response.status, await response.text()]).toEqual([200, 'whole']);
  expect(ranges).toEqual([undefined, undefined]);
  await layer.stop();
});

test.for([
  ['an answer that is no file', 202, {}],
  ['an answer without content', 205, {}],
] as const)('%s is not passed on', async ([, status, headers], { upstream }) => {
  const layer = await startTestLayer(upstream.url, settings);
  const url = await urlOf(layer.url, 'reader');
  upstream.answer = (response) => response.writeHead(status, headers).end(status === 205 ? '' : 'whole');

  const response = await fetch(url, { headers: { authorization: 'Bearer reader', range: 'bytes=0-3' } });

  expect(response.status).toBe(502);
  await layer.stop();
});

test("parts and conditions of a request are the upstream's", async ({ upstream }) => {
  const layer = await startTestLayer(upstream.url, settings);
  const url = await urlOf(layer.url, 'reader');
  upstream.answer = (response, headers) => {
    if (headers['if-none-match'] === '"a"') return void response.writeHead(304, { etag: '"a"' }).end();
    const isPart = headers.range === 'bytes=2-3';
    if (headers.range && !isPart) return void response.writeHead(416, { 'content-range': 'bytes */6' }).end();
    response.writeHead(isPart ? 206 : 200, {
      'content-type': 'text/html',
      etag: '"a"',
      'accept-ranges': 'bytes',
      'set-cookie': 'a=b',
      'x-internal': 'host',
      ...(isPart && { 'content-range': 'bytes 2-3/6' }),
    });
    response.end(isPart ? 'cd' : 'abcdef');
  };
  const get = (headers: Record<string, string>) =>
    fetch(url, { headers: { authorization: 'Bearer reader', ...headers } });

  const whole = await get({});
  const part = await get({ range: 'bytes=2-3' });
  const beyond = await get({ range: 'bytes=9-' });
  const same = await get({ 'if-none-match': '"a"' });

  expect([whole.status, part.status, beyond.status, same.status]).toEqual([200, 206, 416, 304]);
  expect([await whole.text(), await part.text()]).toEqual(['abcdef', 'cd']);
  expect(part.headers.get('content-range')).toBe('bytes 2-3/6');
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringMatching(/^attachment; /),
    etag: '"a"',
    'accept-ranges': 'bytes',
  });
  expect(whole.headers.get('set-cookie')).toBeNull();
  expect(whole.headers.get('x-internal')).toBeNull();
  await layer.stop();
});

test('when its reader goes away before the upstream has answered, the call ends, too', async ({
  upstream,
}) => {
  const layer = await startTestLayer(upstream.url, settings);
  upstream.answer = () => {};
  const url = await urlOf(layer.url, 'reader');
  const reader = startReader(url, 'reader');
  await expect.poll(() => upstream.open).toBe(1);

  reader.destroy();

  await expect.poll(() => upstream.open, { timeout: 1_000 }).toBe(0);
  await layer.stop();
});

test('a caller has a hundred files open at once, and neither these nor queries behind them hold slots', async ({
  upstream,
}) => {
  const layer = await startTestLayer(upstream.url, {
    ...settings,
    MAX_REQUESTS: '4',
    MAX_REQUESTS_PER_CALLER: '4',
  });
  upstream.answer = sendMegabytes(20);
  const url = await urlOf(layer.url, 'reader');
  const readers = [];
  for (let count = 1; count <= 100; count += 1) {
    const reader = startReader(url, 'reader', 'keep-alive');
    await once(reader, 'readable');
    readers.push(reader);
    expect(upstream.open).toBe(count);
    const target = `/graphql?${new URLSearchParams({ query: '{ __typename }' })}`;
    reader.write(
      `GET ${target} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer reader\r\napollo-require-preflight: 1\r\n\r\n`.repeat(
        8,
      ),
    );
  }

  const more = await fetch(url, { headers: { authorization: 'Bearer reader' } });
  const other = await urlOf(layer.url, 'other');

  expect(more.status).toBe(503);
  expect(other).toContain('/files/');
  for (const reader of readers) reader.destroy();
  await expect.poll(() => upstream.open, { timeout: 2_000 }).toBe(0);
  await layer.stop();
});

test('an upload that waits for others of its caller is not taken for a slow one; a client that stops is', async () => {
  const item = { '@odata.etag': 'W/"1"', id: record, number: '1000' };
  let uploads = 0;
  const server = createServer((request, response) => {
    if (request.method !== 'PATCH') {
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify({ value: [item] }));
    }
    uploads += 1;
    const answerAfter = uploads === 1 ? 16_500 : 0;
    request.on('error', () => {}).resume();
    request.once('end', () => setTimeout(() => response.writeHead(204).end(), answerAfter));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upstreamUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const layer = await startTestLayer(upstreamUrl, { ...settings, UPSTREAM_CALLS_PER_CALLER: '1' });
  const answer = await layer.query('{ company { items(first: 1) { nodes { picture { url } } } } }');
  const { url } = answer.data.company.items.nodes[0].picture;
  const put = () =>
    fetch(layer.url + url, {
      method: 'PUT',
      headers: { authorization: `Bearer ${testToken}` },
      body: megabyte,
    });

  const responses = await Promise.all([put(), put()]);
  const { hostname, port } = new URL(layer.url);
  const stopped = connect(Number(port), hostname);
  stopped.write(
    `PUT ${url} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${testToken}\r\ncontent-length: 9\r\n\r\nfour`,
  );
  const [told] = await once(stopped, 'data');

  expect(responses.map(({ status }) => status)).toEqual([204, 204]);
  expect(String(told)).toMatch(/^HTTP\/1\.1 408 .*The file was not sent in time\./s);
  await layer.stop();
  server.close();
});
