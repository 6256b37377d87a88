import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { test as base, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { fixture } from '../../support/fixture.ts';
import { startLayerForTest } from '../../support/layer.ts';

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

const ofReader = { authorization: 'Bearer reader' };

/** A reader that reads nothing until it is told to. */
function startReader(url: string) {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer reader\r\n\r\n`);
  return socket;
}

test('a file that the upstream cuts is cut, and not told as whole', async ({ upstream }) => {
  const layer = await startLayerForTest(upstream.url, settings);
  for (const isChunked of [false, true]) {
    upstream.answer = (response) => {
      response.writeHead(200, isChunked ? {} : { 'content-length': '1000' });
      response.write('half', () => response.destroy());
    };
    const response = await fetch(await urlOf(layer.url, 'reader'), { headers: ofReader });

    await expect(response.arrayBuffer()).rejects.toThrow();
  }
});

test("parts and conditions of a request are the upstream's", async ({ upstream }) => {
  const layer = await startLayerForTest(upstream.url, settings);
  const url = await urlOf(layer.url, 'reader');
  upstream.answer = (response, headers) => {
    if (headers['if-none-match'] === '"a"') return void response.writeHead(304, { etag: '"a"' }).end();
    if (headers['if-range']) return void response.writeHead(500).end();
    const isPart = headers.range === 'bytes=2-3';
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
  const get = (headers: Record<string, string>) => fetch(url, { headers: { ...ofReader, ...headers } });

  const whole = await get({});
  const part = await get({ range: 'bytes=2-3' });
  const same = await get({ 'if-none-match': '"a"' });
  // Of several ranges neither they nor their condition are sent.
  const several = await get({ range: 'bytes=0-1,3-4', 'if-range': '"a"' });

  expect([whole.status, part.status, same.status]).toEqual([200, 206, 304]);
  expect([await whole.text(), await part.text(), await several.text()]).toEqual(['abcdef', 'cd', 'abcdef']);
  expect(part.headers.get('content-range')).toBe('bytes 2-3/6');
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringMatching(/^attachment; /),
    etag: '"a"',
    'accept-ranges': 'bytes',
  });
  expect(whole.headers.get('set-cookie')).toBeNull();
  expect(whole.headers.get('x-internal')).toBeNull();
});

test('a caller has a hundred files open at once, whose calls end with their readers, and neither these nor queries behind them hold slots', async ({
  upstream,
}) => {
  const layer = await startLayerForTest(upstream.url, {
    ...settings,
    MAX_REQUESTS: '4',
    MAX_REQUESTS_PER_CALLER: '4',
  });
  upstream.answer = sendMegabytes(20);
  const url = await urlOf(layer.url, 'reader');
  const readers = [];
  for (let count = 1; count <= 100; count += 1) {
    const reader = startReader(url);
    await once(reader, 'readable');
    readers.push(reader);
    expect(upstream.open).toBe(count);
    reader.write(
      'GET /graphql?query={__typename} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer reader\r\n\r\n'.repeat(8),
    );
  }

  const more = await fetch(url, { headers: ofReader });
  const other = await urlOf(layer.url, 'other');

  expect(more.status).toBe(503);
  expect(other).toContain('/files/');
  for (const reader of readers) reader.destroy();
  await expect.poll(() => upstream.open, { timeout: 2_000 }).toBe(0);
});
