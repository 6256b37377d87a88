import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { makeCertificates, startSecureServer } from '../support/deployment/certificates.ts';
import { askProcess } from '../support/secure-process.ts';

const certificates = makeCertificates();
const folder = mkdtempSync(join(tmpdir(), 'client-'));
afterAll(() => {
  certificates.remove();
  rmSync(folder, { recursive: true });
});

const write = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const { good } = certificates;
const cert = write('client.pem', good.cert);
const key = write('client.key', good.key);

const read = '{ companies { totalCount } }';
const create = 'mutation { createCustomer(input: { displayName: "New" }) { userErrors { code } } }';
const base = {
  NODE_EXTRA_CA_CERTS: certificates.authority,
  BUSINESS_COMPANY_ID: '00000000-0000-4000-8000-000000000001',
};

async function startStrictServer() {
  const ca = readFileSync(certificates.authority);
  const server = await startSecureServer(
    { ...good, ca, requestCert: true, rejectUnauthorized: true },
    { value: [], '@odata.count': 0 },
  );
  onTestFinished(() => server.stop());
  return server;
}

test('an upstream that asks for a certificate is shown the one of the settings', async () => {
  const server = await startStrictServer();

  const [answer] = await askProcess(
    { ...base, BUSINESS_URL: server.url, UPSTREAM_CLIENT_CERT_FILE: cert, UPSTREAM_CLIENT_KEY_FILE: key },
    [read],
  );

  expect(answer).toEqual({ data: { companies: { totalCount: 0 } } });
});

test('without a certificate nothing is sent to such an upstream, and no write is reported as made', async () => {
  const server = await startStrictServer();

  const [answer, written] = await askProcess({ ...base, BUSINESS_URL: server.url }, [read, create]);

  expect(answer?.errors?.[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE');
  expect(JSON.stringify(written)).toMatch(/UPSTREAM_UNAVAILABLE|OUTCOME_UNKNOWN/);
  expect(server.requests).toEqual([]);
});
