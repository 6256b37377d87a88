import { createPrivateKey } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { makeCertificates } from '../../support/deployment/certificates.ts';

const certificates = makeCertificates();
afterAll(() => certificates.remove());

const { good, foreign } = certificates;
const encrypted = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'of the key' } as const;
const files: Readonly<Record<string, string>> = {
  cert: good.cert,
  key: good.key,
  foreignKey: foreign.key,
  lockedKey: createPrivateKey(good.key).export(encrypted).toString(),
  text: 'just a text',
};
const read = (cert: string, key?: string) => () =>
  readConfig({ UPSTREAM_CLIENT_CERT_FILE: cert, ...(key && { UPSTREAM_CLIENT_KEY_FILE: key }) }, (path) => {
    if (files[path] === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' });
    return files[path];
  });

test('a certificate and its key are taken from their files', () => {
  expect(read('cert', 'key')()).toMatchObject({
    UPSTREAM_CLIENT_CERT_FILE: good.cert.trim(),
    UPSTREAM_CLIENT_KEY_FILE: good.key.trim(),
  });
});

test.for([
  [
    'cert',
    'foreignKey',
    /^UPSTREAM_CLIENT_KEY_FILE cannot be used with UPSTREAM_CLIENT_CERT_FILE: key values mismatch\./,
  ],
  ['cert', 'lockedKey', /^UPSTREAM_CLIENT_KEY_FILE cannot be used with .* in PEM, not encrypted\.$/],
  ['text', 'key', /^UPSTREAM_CLIENT_CERT_FILE is "text": expected a file with a certificate in PEM\.$/],
  ['cert', 'text', /^UPSTREAM_CLIENT_KEY_FILE is "text": expected a file with a private key in PEM\.$/],
  ['cert', 'nowhere', /^UPSTREAM_CLIENT_KEY_FILE: expected the path of a readable file/],
  ['cert', undefined, /^UPSTREAM_CLIENT_KEY_FILE is required when UPSTREAM_CLIENT_CERT_FILE is set\.$/],
] as const)(
  'the certificate %s with the key %s is refused, and told why without the key',
  ([cert, key, message]) => {
    expect(read(cert, key)).toThrow(message);
    expect(read(cert, key)).not.toThrow('PRIVATE');
  },
);
