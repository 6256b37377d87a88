import { afterAll, expect, onTestFinished, test } from 'vitest';
import { makeCertificates, startSecureServer } from '../support/deployment/certificates.ts';
import { startIssuer } from '../support/issuer.ts';
import { startTestProxy } from '../support/proxies/http-proxy.ts';
import { askProcess } from '../support/secure-process.ts';
import { startStub } from '../support/stub.ts';

const certificates = makeCertificates();
afterAll(() => certificates.remove());

const password = 'secret of the proxy';
const credentials = `Basic ${Buffer.from(`tributary:${password}`).toString('base64')}`;
const base = { NODE_EXTRA_CA_CERTS: certificates.authority };
const read = '{ companies { totalCount } }';
const create = 'mutation { createCustomer(input: { displayName: "New" }) { userErrors { code } } }';
const list = { value: [], '@odata.count': 0 };

/** Asks a layer whose proxy has credentials; none of them may be in a log line or response. */
const ask = (settings: Readonly<Record<string, string>>, queries: readonly string[], token?: string) =>
  askProcess({ ...base, ...settings }, queries, token, [
    password,
    encodeURIComponent(password),
    credentials.slice(6),
  ]);

async function start(answer: unknown, refusal: number | null = null) {
  const server = await startSecureServer(certificates.misnamed, answer);
  const proxy = await startTestProxy(Number(new URL(server.url).port), refusal);
  const url = proxy.url.replace('//', `//tributary:${encodeURIComponent(password)}@`);
  onTestFinished(() => {
    proxy.stop();
    server.stop();
  });
  return { server, proxy, url };
}

test('calls to an http upstream are sent to HTTP_PROXY with their whole URL', async () => {
  const upstream = await startStub(() => ({ body: list }));
  const proxy = await startTestProxy(Number(new URL(upstream.url).port));
  onTestFinished(() => {
    proxy.stop();
    upstream.stop();
  });
  const http_proxy = proxy.url.replace('//', `//tributary:${encodeURIComponent(password)}@`);

  // Lower case comes first.
  const [answer] = await ask({ http_proxy, HTTP_PROXY: 'nowhere:1', BUSINESS_URL: 'http://b.example/base' }, [
    read,
  ]);

  expect(answer).toEqual({ data: { companies: { totalCount: 0 } } });
  expect(proxy.requests).toHaveLength(1);
  expect(proxy.requests[0]).toMatch(/^GET http:\/\/b\.example\/base\/api\/v2\.0\/companies\?.* Basic /);
  expect(upstream.requests[0]?.headers.host).toBe('b.example');
});

test('calls to https upstreams, and those for tokens and key sets, go through a tunnel of HTTPS_PROXY, which is sent no token', async () => {
  const issuer = await startIssuer();
  onTestFinished(() => issuer.stop());
  const keys = await (await fetch(issuer.settings.JWT_JWKS_URL as string)).json();
  const granted = { access_token: 'granted-token', token_type: 'bearer', expires_in: 3_600 };
  const { server, proxy, url } = await start({ ...granted, ...(keys as object), ...list });

  const [answer] = await ask(
    {
      ...issuer.settings,
      HTTPS_PROXY: url,
      JWT_JWKS_URL: 'https://elsewhere.example:8443/keys',
      BUSINESS_URL: 'https://elsewhere.example:8443/base',
      BUSINESS_AUTH: 'client-credentials',
      BUSINESS_TOKEN_URL: 'https://elsewhere.example:8443/token',
      BUSINESS_CLIENT_ID: 'tributary',
      BUSINESS_CLIENT_SECRET: 'secret-of-the-layer',
    },
    [read],
    await issuer.token('ada'),
  );

  expect(answer).toEqual({ data: { companies: { totalCount: 0 } } });
  expect(server.requests.map((request) => request.split(' ')[1]?.split('?')[0])).toEqual([
    '/keys',
    '/token',
    '/base/api/v2.0/companies',
  ]);
  expect(server.requests.at(-1)).toContain('"host":"elsewhere.example:8443"');
  expect(server.requests.join()).not.toContain('proxy-');
  expect(new Set(proxy.requests)).toEqual(new Set([`CONNECT elsewhere.example:8443 ${credentials}`]));
});

test('a connection that the proxy refuses is reported with its status, and nothing was sent', async () => {
  const { server, url } = await start(list, 407);
  const BUSINESS_COMPANY_ID = '00000000-0000-4000-8000-000000000001';

  const answers = await ask(
    { HTTPS_PROXY: url, BUSINESS_COMPANY_ID, BUSINESS_URL: 'https://elsewhere.example' },
    [read, create],
  );

  for (const { errors } of answers) {
    expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE');
    expect(errors?.[0]?.message).toBe(
      'The proxy before the upstream refused a connection to it with status 407.',
    );
  }
  expect(server.requests).toEqual([]);
});
