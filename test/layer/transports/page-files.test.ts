import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { test as base, expect } from 'vitest';
import { startTributary } from '../../../src/app/compose.ts';
import { readConfig } from '../../../src/config/config.ts';
import { signInUrls } from '../../../src/server/pages/sign-in.ts';
import { fixture } from '../../support/fixture.ts';

const signIn = { ...signInUrls('https://login.example'), clientId: 'explorer', scope: 'all' };

const test = base.extend(
  'url',
  { scope: 'file' },
  fixture(async ({ onCleanup }) => {
    const config = readConfig({ PORT: '0', ADMIN_PORT: 'off', BUSINESS_URL: 'http://127.0.0.1:9' }, () => '');
    const pages = { examples: [], console: { subscriptionId: null, environment: [] }, token: null, signIn };
    const layer = await startTributary(config, pages, pino({ level: 'silent' }));
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

const texts = [
  '/',
  '/console',
  '/explorer/main.js',
  '/explorer/styles.css',
  '/explorer/assets/i18n/fr.json',
  '/pages/console/console.css',
  '/pages/console/main.js',
  '/pages/oauth4webapi/index.js',
];
const chunkIn = async (url: string) =>
  `/explorer/${/chunk-[A-Z0-9]{8}\.js/.exec(String((await get(`${url}/`)).body))?.[0]}`;
const commonIn = async (url: string) => {
  const folder = '/pages/console/graphql-ws/';
  const { body } = await get(`${url}${folder}client.js`);
  return folder + /common-[\w-]+\.js/.exec(String(body))?.[0];
};

test.for(texts)('%s is the same compressed, with an ETag for each form', async (path, { url }) => {
  const plain = await get(url + path);
  const br = await get(url + path, { 'accept-encoding': 'gzip;q=0.5, br' });
  const gzip = await get(url + path, { 'accept-encoding': 'gzip' });

  expect(plain.headers['content-encoding']).toBeUndefined();
  expect([br, gzip].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip']);
  expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
  expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
  expect(2 * br.body.length).toBeLessThan(plain.body.length);
  const all = [plain, br, gzip];
  expect(new Set(all.map(({ headers }) => headers.etag)).size).toBe(3);
  expect(new Set(all.map(({ headers }) => headers['content-type'])).size).toBe(1);
  for (const { headers } of all) expect(headers).toMatchObject({ vary: 'Accept-Encoding' });
});

test.for(texts)('%s is revalidated, and not sent again while it is the same', async (path, { url }) => {
  const accepted = { 'accept-encoding': 'br' };
  const { headers } = await get(url + path, accepted);
  const { etag = '' } = headers;
  const again = await get(url + path, { ...accepted, 'if-none-match': `"other", W/${etag}` });
  const changed = await get(url + path, { ...accepted, 'if-none-match': '"other"' });

  expect(headers['cache-control']).toBe('no-cache');
  expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
  expect(again.headers['content-security-policy']).toBe(headers['content-security-policy']);
  expect(changed.status).toBe(200);
});

test('a file whose name has the hash of its content is never requested again', async ({ url }) => {
  for (const path of [await chunkIn(url), await commonIn(url)]) {
    const { status, headers } = await get(url + path);

    expect([path, status, headers['cache-control']]).toEqual([
      path,
      200,
      'public, max-age=31536000, immutable',
    ]);
  }
});

test('images and fonts are sent as they are, and as what they are', async ({ url }) => {
  for (const [path, type] of [
    ['/explorer/assets/img/logo.png', 'image/png'],
    ['/explorer/favicon.ico', 'image/x-icon'],
    ['/explorer/media/jetbrains-mono-latin-400-normal.woff2', 'font/woff2'],
  ]) {
    const { status, headers } = await get(url + path, { 'accept-encoding': 'br, gzip' });

    expect([path, status, headers['content-type']]).toEqual([path, 200, type]);
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
  }
});

test('the page that a sign-in leads back to is not stored', async ({ url }) => {
  const { headers } = await get(`${url}/signed-in?code=c&state=s`, { 'accept-encoding': 'br' });

  expect(headers['cache-control']).toBe('no-store');
});
