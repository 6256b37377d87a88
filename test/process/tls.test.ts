import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { makeCertificates, startSecureServer } from '../support/deployment/certificates.ts';
import { startIssuer } from '../support/issuer.ts';
import { type Answered, askProcess } from '../support/secure-process.ts';

const certificates = makeCertificates();
afterAll(() => certificates.remove());

const { authority, good } = certificates;
const record = { id: '00000000-0000-4000-8000-000000000001' };

const ask: typeof askProcess = (settings, ...rest) =>
  askProcess({ NODE_EXTRA_CA_CERTS: authority, BUSINESS_COMPANY_ID: record.id, ...settings }, ...rest);

const codes = ({ errors = [] }: Answered) => errors.map(({ extensions }) => extensions.code);
const read = '{ companies { totalCount } }';
const create = 'mutation { createCustomer(input: { displayName: "New" }) { userErrors { code } } }';
const events = '{ healthEvents { totalCount } }';
const granted = { access_token: 'granted-token', token_type: 'bearer', expires_in: 3_600, value: [] };

const servers = {
  'whose certificate is for another name': certificates.misnamed,
  'whose certificate is of an unknown authority': certificates.foreign,
  'that speaks TLS 1.1 at most': {
    ...good,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  },
} as const satisfies Record<string, Parameters<typeof startSecureServer>[0]>;

test.for(Object.keys(servers) as (keyof typeof servers)[])(
  'a server %s is sent nothing: as an upstream, as the place that gives tokens, and as the one that has the keys',
  async (which) => {
    const bad = await startSecureServer(servers[which], { ...granted, keys: [] });
    const fine = await startSecureServer(good, { value: [] });
    const issuer = await startIssuer();
    // It must not help that somebody has told the whole process to take less.
    const lax = which.includes('1.1')
      ? { NODE_OPTIONS: '--tls-min-v1.0 --tls-cipher-list=DEFAULT@SECLEVEL=0' }
      : {};
    const upstreams = await ask(
      {
        ...lax,
        BUSINESS_URL: bad.url,
        MANAGEMENT_URL: fine.url,
        MANAGEMENT_AUTH: 'client-credentials',
        MANAGEMENT_TOKEN_URL: `${bad.url}/token`,
        MANAGEMENT_CLIENT_ID: 'tributary',
        MANAGEMENT_CLIENT_SECRET: 'secret-of-the-layer',
      },
      [read, create, events],
    );
    const keys = await ask(
      { ...lax, ...issuer.settings, BUSINESS_URL: fine.url, JWT_JWKS_URL: `${bad.url}/keys` },
      [read],
      await issuer.token('ada'),
    );
    for (const { stop } of [bad, fine, issuer]) stop();

    // Of the create it is known that it never left: no OUTCOME_UNKNOWN, which would ask to look first.
    expect(upstreams.map(codes)).toEqual([
      ['UPSTREAM_UNAVAILABLE'],
      ['UPSTREAM_UNAVAILABLE'],
      ['UPSTREAM_UNAVAILABLE'],
    ]);
    expect(keys.map(codes)).toEqual([['UNAUTHENTICATED']]);
    expect(bad.requests).toEqual([]);
    // The events wait for a token, and keys are needed before anything is sent.
    expect(fine.requests).toEqual([]);
  },
);

test('an upstream that has only HTTP/2 is sent nothing, and the error says so', async () => {
  const server = createSecureServer({ ...good }).listen(0);
  let streams = 0;
  server.on('stream', () => {
    streams += 1;
  });
  onTestFinished(() => void server.close());
  await once(server, 'listening');

  const [answer] = await ask(
    { BUSINESS_URL: `https://localhost:${(server.address() as AddressInfo).port}` },
    [create],
  );

  expect(answer?.errors?.[0]?.message).toBe('The upstream does not offer HTTP/1.1, which is needed.');
  expect(codes(answer as Answered)).toEqual(['UPSTREAM_UNAVAILABLE']);
  expect(streams).toBe(0);
});

/** An upstream that asks for a client certificate. */
async function startStrictServer() {
  const server = await startSecureServer(
    { ...good, ca: readFileSync(authority), requestCert: true, rejectUnauthorized: true },
    { value: [], '@odata.count': 0 },
  );
  onTestFinished(() => server.stop());
  return server;
}

test('an upstream that asks for a certificate is shown the one of the settings', async () => {
  const server = await startStrictServer();
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [cert, key] = [join(folder, 'client.pem'), join(folder, 'client.key')];
  writeFileSync(cert, good.cert);
  writeFileSync(key, good.key);
  const files = { UPSTREAM_CLIENT_CERT_FILE: cert, UPSTREAM_CLIENT_KEY_FILE: key };

  const [answer] = await ask({ BUSINESS_URL: server.url, ...files }, [read]);

  expect(answer).toEqual({ data: { companies: { totalCount: 0 } } });
});

test('without a certificate nothing is sent to such an upstream, and no write is reported as made', async () => {
  const server = await startStrictServer();

  const [answer, written] = await ask({ BUSINESS_URL: server.url }, [read, create]);

  expect(answer?.errors?.[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE');
  expect(JSON.stringify(written)).toMatch(/UPSTREAM_UNAVAILABLE|OUTCOME_UNKNOWN/);
  expect(server.requests).toEqual([]);
});
