import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Certificates, makeCertificates } from '../support/deployment/certificates.ts';
import { startProcess } from '../support/process.ts';

interface WrongStart {
  readonly wrong: string;
  /** With the arguments of the command. */
  readonly command: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Content of `.env`; null makes it a folder. */
  readonly envFile?: string | null;
  readonly code: 1 | 2;
  /** What is wrong, and what to do. */
  readonly says: RegExp;
}

const takenPort = 5543;
const closed = 'http://127.0.0.1:5544';
const url = { BUSINESS_URL: closed };
const client = { BUSINESS_TOKEN_URL: closed, BUSINESS_CLIENT_ID: 'id', BUSINESS_CLIENT_SECRET: 'secret' };
const jwt = { JWT_ISSUER: 'https://issuer.example', JWT_AUDIENCE: 'graph', JWT_JWKS_URL: `${closed}/keys` };
const oldNode = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })`;

const wrongStarts: readonly WrongStart[] = [
  {
    wrong: 'no upstream',
    command: 'serve',
    code: 2,
    says: /^BUSINESS_URL or MANAGEMENT_URL is required by `serve`\.$/,
  },
  {
    wrong: 'a port that is a word',
    command: 'serve',
    settings: { ...url, PORT: 'http' },
    code: 2,
    says: /^PORT is "http": expected a port, 0 to 65535\.$/,
  },
  {
    wrong: 'a host with a port',
    command: 'serve',
    settings: { ...url, HOST: 'localhost:4000' },
    code: 2,
    says: /^HOST is "localhost:4000": expected an IP address without brackets, or a host name/,
  },
  {
    wrong: 'one port for the graph and the probes',
    command: 'serve',
    settings: { ...url, PORT: '4555', ADMIN_PORT: '4555' },
    code: 1,
    says: /^Port 4555 is in use\. Set PORT or --port or ADMIN_PORT to another port, or to 0 for a free one\.$/,
  },
  {
    wrong: 'a port that is too high, as a flag',
    command: 'serve --port 70000',
    settings: url,
    code: 2,
    says: /^PORT is "70000": expected a port/,
  },
  {
    wrong: 'a flag that there is not',
    command: 'serve --prot 1',
    settings: url,
    code: 2,
    says: /unknown option '--prot'\n\(Did you mean --port\?\)/,
  },
  {
    wrong: 'a flag with an empty value',
    command: 'serve --port=',
    settings: url,
    code: 2,
    says: /^error: option '--port <port>' argument '' is invalid\. Give it a value, or leave it out\.$/m,
  },
  {
    wrong: 'a flag that is given twice',
    command: 'check --port 4000 --port 4001',
    settings: url,
    code: 2,
    says: /^error: option '--port <port>' argument '4001' is invalid\. It is given twice\. Remove one\.$/m,
  },
  {
    wrong: 'a flag of add with an empty value',
    command: 'add vendors --metadata=',
    code: 2,
    says: /^error: option '--metadata <file>' argument '' is invalid\./m,
  },
  {
    wrong: 'an upstream without a scheme',
    command: 'serve',
    settings: { BUSINESS_URL: 'business.example' },
    code: 2,
    says: /^BUSINESS_URL is "business\.example": expected an http or https URL/,
  },
  {
    wrong: 'an upstream with a password',
    command: 'serve',
    settings: { MANAGEMENT_URL: 'https://user:canary@business.example' },
    code: 2,
    says: /^MANAGEMENT_URL: expected .* without credentials/,
  },
  {
    wrong: 'an upstream with a placeholder',
    command: 'serve',
    settings: { BUSINESS_URL: 'https://business.example/{tenant}' },
    code: 2,
    says: /^BUSINESS_URL is "https:\/\/business\.example\/\{tenant\}": expected an http or https URL/,
  },
  {
    wrong: 'a misspelled variable',
    command: 'serve',
    settings: { BUSINESS_ULR: closed },
    code: 2,
    says: /^BUSINESS_ULR is not a setting\. Did you mean BUSINESS_URL\?$/m,
  },
  {
    wrong: 'a misspelled name in .env',
    command: 'serve',
    envFile: 'ADMIN_PROT=4000\n',
    settings: url,
    code: 2,
    says: /^ADMIN_PROT is not a setting\. Did you mean ADMIN_PORT\?$/,
  },
  {
    wrong: 'a misspelled port that looks like a service of Kubernetes',
    command: 'serve',
    settings: { ...url, ADNIN_PORT: '4100' },
    code: 2,
    says: /^ADNIN_PORT is not a setting\. Did you mean ADMIN_PORT\?$/,
  },
  {
    wrong: 'a folder .env',
    command: 'serve',
    envFile: null,
    settings: url,
    code: 2,
    says: /^\.env cannot be read \(EISDIR\)\. Make it a readable file of settings, or remove it\.$/,
  },
  {
    wrong: 'a level of the log that there is not',
    command: 'serve',
    settings: { ...url, LOG_LEVEL: 'loud' },
    code: 2,
    says: /^LOG_LEVEL is "loud": expected `fatal`, .* or `silent`\.$/,
  },
  {
    wrong: 'a limit that is no number',
    command: 'serve',
    settings: { ...url, MAX_COST: 'unlimited' },
    code: 2,
    says: /^MAX_COST is "unlimited": expected 1 to 1099511627776\.$/,
  },
  {
    wrong: 'a secret that is too short',
    command: 'serve',
    settings: { ...url, OPERATION_SECRETS: 'canary' },
    code: 2,
    says: /^OPERATION_SECRETS: expected secrets of at least 16 characters, comma-separated\.$/,
  },
  {
    wrong: 'a file of secrets that is missing',
    command: 'serve',
    settings: { ...url, OPERATION_SECRETS_FILE: 'missing.txt' },
    code: 2,
    says: /^OPERATION_SECRETS_FILE: expected the path of a readable file, such as \/run\/secrets\/name \(ENOENT\)\.$/,
  },
  {
    wrong: 'a folder for a file of secrets',
    command: 'serve',
    settings: { ...url, REDIS_URL_FILE: 'folder' },
    code: 2,
    says: /^REDIS_URL_FILE: expected the path of a readable file, such as \/run\/secrets\/name \(EISDIR\)\.$/,
  },
  {
    wrong: 'an empty file for a secret',
    command: 'serve',
    settings: { ...url, REDIS_URL_FILE: 'empty.txt' },
    code: 2,
    says: /^REDIS_URL_FILE: expected the path of a file that is not empty\.$/,
  },
  {
    wrong: 'an address of Redis with http',
    command: 'serve',
    settings: { ...url, REDIS_URL: 'http://:canary@redis.example' },
    code: 2,
    says: /^REDIS_URL: expected a redis:\/\/ or rediss:\/\/ URL, the path of which/,
  },
  {
    wrong: 'an issuer of tokens without audience and keys',
    command: 'serve',
    settings: { ...url, JWT_ISSUER: 'https://issuer.example' },
    code: 2,
    says: /^JWT_AUDIENCE is required when JWT_ISSUER is set\.\nJWT_JWKS_URL is required/,
  },
  {
    wrong: 'keys of tokens over plain http',
    command: 'serve',
    settings: { ...url, ...jwt, JWT_JWKS_URL: 'http://issuer.example/keys' },
    code: 2,
    says: /^JWT_JWKS_URL is "http:\/\/issuer\.example\/keys": expected an https URL/,
  },
  {
    wrong: 'tokens of its own without a token endpoint',
    command: 'serve',
    settings: { ...url, BUSINESS_AUTH: 'client-credentials' },
    code: 2,
    says: /^BUSINESS_TOKEN_URL is required when BUSINESS_AUTH is .*\nBUSINESS_CLIENT_ID is required/,
  },
  {
    wrong: 'tokens of its own for callers that nobody verifies',
    command: 'serve',
    settings: { ...url, ...client, BUSINESS_AUTH: 'client-credentials', HOST: '0.0.0.0' },
    code: 2,
    says: /^JWT_ISSUER is required when .* HOST is not a loopback address\.$/m,
  },
  {
    wrong: 'dev on all addresses',
    command: 'dev',
    settings: { HOST: '0.0.0.0' },
    code: 2,
    says: /^HOST is "0\.0\.0\.0": expected a loopback address, .* Use `serve`/,
  },
  {
    wrong: 'dev on another form of a loopback address',
    command: 'dev',
    settings: { HOST: '::ffff:127.0.0.1' },
    code: 2,
    says: /^HOST is .*: expected a loopback address, which is localhost, ::1 or one that begins with 127, /,
  },
  {
    wrong: 'certificates that are not verified',
    command: 'serve',
    settings: { ...url, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    code: 2,
    says: /^NODE_TLS_REJECT_UNAUTHORIZED is "0".*\. Remove it; NODE_EXTRA_CA_CERTS adds/m,
  },
  {
    wrong: 'an origin with a slash at its end',
    command: 'serve',
    settings: { ...url, CORS_ORIGINS: 'https://app.example/' },
    code: 2,
    says: /^CORS_ORIGINS is "https:\/\/app\.example\/": expected origins .* without a trailing slash\.$/,
  },
  {
    wrong: 'declarations that are not there',
    command: 'serve',
    settings: { ...url, RECORD_TYPES: 'missing' },
    code: 2,
    says: /^RECORD_TYPES: missing: It does not exist\./,
  },
  {
    wrong: 'an extension that is not there',
    command: 'serve',
    settings: { ...url, EXTENSIONS: 'missing' },
    code: 2,
    says: /^EXTENSIONS: missing: It does not exist\./,
  },
  {
    wrong: 'a hidden type that the graph does not have',
    command: 'serve',
    settings: { ...url, HIDDEN: 'Custmer' },
    code: 2,
    says: /^HIDDEN: The graph has no `Custmer`\./,
  },
  {
    wrong: 'a declaration that is no GraphQL',
    command: 'serve',
    settings: { ...url, RECORD_TYPES: 'text.txt' },
    code: 2,
    says: /^RECORD_TYPES: text\.txt/,
  },
  {
    wrong: 'a file of trusted documents that is no JSON',
    command: 'serve',
    settings: { ...url, TRUSTED_DOCUMENTS: 'text.txt' },
    code: 2,
    says: /^TRUSTED_DOCUMENTS is "text\.txt": expected a file with a JSON object/,
  },
  {
    wrong: 'a certificate without its key',
    command: 'serve',
    settings: { ...url, UPSTREAM_CLIENT_CERT_FILE: 'client.pem' },
    code: 2,
    says: /^UPSTREAM_CLIENT_KEY_FILE is required when UPSTREAM_CLIENT_CERT_FILE is set\.$/,
  },
  {
    wrong: 'a key that does not fit its certificate',
    command: 'serve',
    settings: { ...url, UPSTREAM_CLIENT_CERT_FILE: 'client.pem', UPSTREAM_CLIENT_KEY_FILE: 'other.key' },
    code: 2,
    says: /^UPSTREAM_CLIENT_KEY_FILE cannot be used with UPSTREAM_CLIENT_CERT_FILE: .* Expected the private key/,
  },
  {
    wrong: 'a port that is taken',
    command: `serve --port ${takenPort}`,
    settings: url,
    code: 1,
    says: /^Port 5543 is in use\. Set PORT or --port to another port, or to 0 for a free one\.$/,
  },
  {
    wrong: "the sandbox's port that is taken",
    command: `sandbox --port ${takenPort}`,
    code: 1,
    says: /^Port 5543 is in use\. Set --port to another port, or to 0 for a free one\.$/,
  },
  {
    wrong: 'a port of the probes that is taken',
    command: 'serve',
    settings: { ...url, PORT: '0', ADMIN_PORT: String(takenPort) },
    code: 1,
    says: /^Port 5543 is in use\. Set ADMIN_PORT to another port, or to 0 for a free one\.$/,
  },
  {
    wrong: 'an address of another machine to listen on',
    command: 'serve',
    settings: { ...url, PORT: '0', HOST: '192.0.2.1' },
    code: 1,
    says: /^This machine has no such address to listen on .* Set HOST to one of its own/,
  },
  {
    wrong: 'Node.js that is too old',
    command: 'serve',
    settings: { ...url, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(oldNode)}` },
    code: 2,
    says: /^Tributary needs Node\.js 20\.20 or newer, and this is 18\.20\.8\. Install a newer one/,
  },
  {
    wrong: 'an upstream that refuses connections',
    command: 'check --connect',
    settings: url,
    code: 1,
    says: /^Business Records \(A\) .* FAILED .*ECONNREFUSED.* Check BUSINESS_URL$/m,
  },
  {
    wrong: 'a Redis that refuses connections',
    command: 'check --connect',
    settings: { ...url, REDIS_URL: 'redis://:canary@127.0.0.1:5544' },
    code: 1,
    says: /^Redis .* FAILED .*ECONNREFUSED.* Check REDIS_URL/m,
  },
  {
    wrong: 'keys of tokens that nobody serves',
    command: 'check --connect',
    settings: { ...url, ...jwt },
    code: 1,
    says: /^Keys of callers .* FAILED .*ECONNREFUSED.* Check JWT_JWKS_URL$/m,
  },
  {
    wrong: 'a token endpoint that nobody serves',
    command: 'check --connect',
    settings: { ...url, ...client, BUSINESS_AUTH: 'client-credentials' },
    code: 1,
    says: /^Tokens for area A .* FAILED .*ECONNREFUSED.* Check BUSINESS_TOKEN_URL$/m,
  },
  {
    wrong: 'a health check of a server that is not there',
    command: 'healthcheck',
    settings: { ADMIN_PORT: '1' },
    code: 1,
    says: /^No response from http:\/\/127\.0\.0\.1:1\/livez: /,
  },
];

const folder = mkdtempSync(join(tmpdir(), 'wrong-starts-'));
const taken = createServer();
let certificates: Certificates;

beforeAll(async () => {
  certificates = makeCertificates();
  mkdirSync(join(folder, 'folder'));
  const files = {
    'empty.txt': '\n',
    'text.txt': 'not JSON',
    'client.pem': certificates.good.cert,
    'other.key': certificates.selfSigned.key,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  await new Promise<void>((resolve) => taken.listen(takenPort, '127.0.0.1', resolve));
});

afterAll(() => {
  taken.close();
  certificates.remove();
  rmSync(folder, { recursive: true });
});

test('the table has thirty wrong starts and more', () => {
  expect(wrongStarts.length).toBeGreaterThanOrEqual(30);
});

test.for(wrongStarts)('$wrong: `$command` ends with $code and says what to do', async (start) => {
  const { command, settings = {}, envFile, code, says } = start;
  const path = join(folder, '.env');
  if (envFile === null) mkdirSync(path);
  else if (envFile !== undefined) writeFileSync(path, envFile);

  const args = [resolve('dist/main.js'), ...command.split(' ')];
  const ended = await startProcess(process.execPath, args, settings, folder).ended;
  rmSync(path, { recursive: true, force: true });

  // A check prints its table; whatever starts prints only why it does not.
  const text = command.startsWith('check') && code === 1 ? ended.stdout : ended.stderr;
  expect(text.trim()).toMatch(says);
  expect(ended.code).toBe(code);
  expect(ended.stdout + ended.stderr).not.toContain('canary');
  expect(ended.stderr).not.toMatch(/^ +at /m);
});
