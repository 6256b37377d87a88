import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { test as base, expect } from 'vitest';
import { startTributary } from '../../../src/app/compose.ts';
import { readConfig } from '../../../src/config/config.ts';
import { signInUrls } from '../../../src/server/pages/sign-in.ts';
import { filesPathOf } from '../../support/files-path.ts';
import { fixture } from '../../support/fixture.ts';

const signIn = { ...signInUrls('https://login.example'), clientId: 'explorer', scope: 'all' };

const test = base.extend(
  'url',
  { scope: 'file' },
  fixture(async ({ onCleanup }) => {
    const settings = { PORT: '0', ADMIN_PORT: 'off', BUSINESS_URL: 'http://127.0.0.1:9' };
    const config = readConfig(settings, () => '');
    const shown = { examples: [], console: { subscriptionId: null, environment: [] }, token: null, signIn };
    const layer = await startTributary(config, shown, pino({ level: 'silent' }));
    onCleanup(() => layer.stop());
    return layer.url;
  }),
);

interface File {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Requests a file with these headers only: `fetch` would add an `Accept-Encoding` of its own. */
async function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<File> {
  const sent = request(url, { headers });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}

const addressOf = async (url: string, name: string) => `${url}${await filesPathOf(url)}${name}`;

test.for(['/', 'explorer/main.js'])(
  '%s is the same compressed, with an ETag for each form',
  async (name, { url }) => {
    const address = name === '/' ? url + name : await addressOf(url, name);
    const plain = await get(address);
    const br = await get(address, { 'accept-encoding': 'gzip;q=0.5, br' });
    const gzip = await get(address, { 'accept-encoding': 'gzip' });

    expect(plain.headers['content-encoding']).toBeUndefined();
    expect([br, gzip].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip']);
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(2 * br.body.length).toBeLessThan(plain.body.length);
    const all = [plain, br, gzip];
    expect(new Set(all.map(({ headers }) => headers.etag)).size).toBe(3);
    expect(new Set(all.map(({ headers }) => headers['content-type'])).size).toBe(1);
    for (const { headers } of all) expect(headers).toMatchObject({ vary: 'Accept-Encoding' });
  },
);

test('a file is kept for a year; under the address of another version, which a page of another replica has, it is uncached', async ({
  url,
}) => {
  const here = await get(await addressOf(url, 'explorer/main.js'));
  expect([here.status, here.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
  const other = await get(`${url}/pages/01234567/explorer/main.js`);

  expect([other.status, other.headers['cache-control']]).toEqual([200, 'no-store']);
  expect(other.body.equals(here.body)).toBe(true);
});

test('a GET of /graphql is the explorer for a browser, also by a link of another site, and GraphQL otherwise', async ({
  url,
}) => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
  const opened = await get(`${url}/graphql`, { accept, 'sec-fetch-site': 'cross-site' });
  const queried = await get(`${url}/graphql?query={__typename}`, { accept, 'apollo-require-preflight': '1' });
  const page = await get(url);

  expect([opened.status, opened.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(opened.headers['content-security-policy']).toBe(page.headers['content-security-policy']);
  expect(opened.body.equals(page.body)).toBe(true);
  expect(JSON.parse(queried.body.toString())).toEqual({ data: { __typename: 'Query' } });
});
