import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { makeCertificates, startSecureServer } from '../support/deployment/certificates.ts';
import { runTributary } from '../support/process.ts';
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
const { good, foreign } = certificates;
const encrypted = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'of the key' } as const;
const cert = write('client.pem', good.cert);
const key = write('client.key', good.key);
const lockedKey = write('locked.key', createPrivateKey(good.key).export(encrypted).toString());
const foreignKey = write('foreign.key', foreign.key);
const text = write('text.pem', 'just a text');

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

  const [answer] = await askProcess({ ...base, BUSINESS_URL: server.url, ...both(cert, key) }, [read]);

  expect(answer).toEqual({ data: { companies: { totalCount: 0 } } });
});

test('without a certificate such an upstream cannot be read, and nothing is sent to it', async () => {
  const server = await startStrictServer();

  const [answer] = await askProcess({ ...base, BUSINESS_URL: server.url }, [read]);

  expect(answer?.errors?.[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE');
  expect(server.requests).toEqual([]);
});

test('a write whose connection a missing certificate ended is never reported as made', async () => {
  const server = await startStrictServer();

  const [answer] = await askProcess({ ...base, BUSINESS_URL: server.url }, [create]);

  expect(JSON.stringify(answer)).toMatch(/UPSTREAM_UNAVAILABLE|OUTCOME_UNKNOWN/);
  expect(server.requests).toEqual([]);
});

const both = (certFile: string, keyFile: string) => ({
  UPSTREAM_CLIENT_CERT_FILE: certFile,
  UPSTREAM_CLIENT_KEY_FILE: keyFile,
});

test.for([
  [
    both(cert, foreignKey),
    /UPSTREAM_CLIENT_KEY_FILE cannot be used with UPSTREAM_CLIENT_CERT_FILE: key values mismatch\./,
  ],
  [both(cert, lockedKey), /UPSTREAM_CLIENT_KEY_FILE cannot be used with .* in PEM, not encrypted\./],
  [
    both(text, key),
    /UPSTREAM_CLIENT_CERT_FILE is ".*text\.pem": expected a file with a certificate in PEM\./,
  ],
  [
    both(cert, text),
    /UPSTREAM_CLIENT_KEY_FILE is ".*text\.pem": expected a file with a private key in PEM\./,
  ],
  [both(cert, '/nowhere'), /UPSTREAM_CLIENT_KEY_FILE: expected the path of a readable file/],
  [
    { UPSTREAM_CLIENT_CERT_FILE: cert },
    /UPSTREAM_CLIENT_KEY_FILE is required when UPSTREAM_CLIENT_CERT_FILE is set\./,
  ],
] as const)(
  'settings that make no usable certificate stop the start and say why (%#)',
  async ([settings, message]) => {
    const { code, stderr } = await runTributary(['check'], {
      BUSINESS_URL: 'https://business.example',
      ...settings,
    });

    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('PRIVATE');
  },
);
