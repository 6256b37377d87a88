import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import zlib from 'node:zlib';
import { expect } from 'vitest';
import { type TestLayer, test, testToken } from '../../support/layer.ts';

const short = '{ company { customers(first: 1) { nodes { id } } } }';
const long =
  '{ company { salesOrders(first: 50) { nodes { id number orderDate customer { id displayName } } } } }';

const decompress = { br: zlib.brotliDecompressSync, gzip: zlib.gunzipSync };

interface Sent {
  readonly coding?: string | undefined;
  readonly vary?: string | undefined;
  readonly bytes: Buffer;
  readonly text: string;
}

/** Sends a query with headers as they are given: `fetch` would add an `Accept-Encoding` of its own. */
async function send(
  { url }: TestLayer,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> {
  const sent = request(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testToken}`, ...headers },
  });
  sent.end(JSON.stringify({ query }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { 'content-encoding': coding, vary, 'content-length': length } = response.headers;
  expect(Number(length)).toBe(bytes.length);
  const open = decompress[coding as keyof typeof decompress];
  return { coding, vary, bytes, text: String(open ? open(bytes) : bytes) };
}

test.for([
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['gzip;q=0', undefined],
] as const)(
  'with Accept-Encoding: %s a response is compressed by %s, and otherwise the same',
  async ([accepted, coding], { layer }) => {
    const plain = await send(layer, long);
    const compressed = await send(layer, long, { 'accept-encoding': accepted });

    expect(plain).toMatchObject({ coding: undefined, vary: 'Accept-Encoding' });
    expect(compressed).toMatchObject({ coding, vary: 'Accept-Encoding', text: plain.text });
    expect(JSON.parse(plain.text)).toMatchObject({ data: { company: expect.anything() } });
    if (coding) expect(2 * compressed.bytes.length).toBeLessThan(plain.bytes.length);
    // Less than 4 KB is sent as it is.
    expect(await send(layer, short, { 'accept-encoding': accepted })).toMatchObject({ coding: undefined });
  },
);
