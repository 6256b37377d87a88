import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reloadOf } from '../../src/config/reloading.ts';
import { type SettingName, settingsSchema } from '../../src/config/settings.ts';
import { makeCertificates } from '../support/deployment/certificates.ts';
import { readMetrics } from '../support/metrics.ts';
import { type Running, startProcess } from '../support/process.ts';
import { lastSecret, openSocket, startCertificateUpstream, startTokenStub } from '../support/reloading.ts';
import type { Stub } from '../support/stub.ts';

const certificates = makeCertificates();
const folder = mkdtempSync(join(tmpdir(), 'reloaded-'));
const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
const passphrase = 'passphrase of the key';
const encrypted = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase } as const;

let upstream: Awaited<ReturnType<typeof startCertificateUpstream>>;
let stub: Stub;
let running: Running;
let url: string;
let adminUrl: string;
let base: Record<string, unknown>;

const trusted = 'query Trusted { companies { totalCount } }';
const manifest = (ids: readonly string[]) =>
  write('manifest.json', JSON.stringify(Object.fromEntries(ids.map((id) => [id, trusted]))));

/** Writes the settings and the files that they name; `change` replaces some of both. */
function writeSettings(change: Record<string, unknown> = {}) {
  write('tributary.yaml', JSON.stringify({ ...base, ...change }));
}

function writeFiles() {
  write('business-secret', 'first-business-secret');
  write('client.pem', certificates.good.cert);
  write('client.key', certificates.good.key);
  manifest(['known']);
}

const randomName = () => `Name${Math.random().toString(36).slice(2)}`;
const noticesOf = (text: string) => text.match(/Settings reloaded[^"]*/g) ?? [];
let reloads = 0;

/** Reloads, and resolves to what the log says. */
async function reload(): Promise<string> {
  process.kill(running.pid, 'SIGHUP');
  reloads += 1;
  await expect.poll(() => noticesOf(running.output())).toHaveLength(reloads);
  return noticesOf(running.output()).at(-1) ?? '';
}

beforeAll(async () => {
  [upstream, stub] = [await startCertificateUpstream(certificates), await startTokenStub()];
  base = {
    port: 0,
    admin_port: 0,
    business: { url: upstream.url, auth: 'client-credentials', token_url: `${stub.url}/business/token` },
    business_client: { id: 'id', secret_file: 'business-secret' },
    management: { url: stub.url, auth: 'client-credentials', token_url: `${stub.url}/management/token` },
    management_client: { id: 'id', secret: 'first-management-secret' },
    operation_secrets: 'a secret of the tests',
    upstream_client: { cert_file: 'client.pem', key_file: 'client.key' },
    // Each call has a connection of its own.
    upstream_keep_alive_ms: 1,
    trusted_documents: 'prefer',
    trusted_documents_manifest: 'manifest.json',
    max_requests_per_caller: 4,
    max_loop_delay_ms: 60_000,
  };
  writeFiles();
  writeSettings();
  const notSet = { ADMIN_PORT: undefined, MAX_LOOP_DELAY_MS: undefined, MAX_REQUESTS_PER_CALLER: undefined };
  running = startProcess(
    process.execPath,
    [resolve('dist/main.js'), 'serve'],
    { ...notSet, NODE_EXTRA_CA_CERTS: certificates.authority },
    folder,
  );
  const text = await running.printed(/readyz/);
  [, url = '', adminUrl = ''] = /at (\S+)\/graphql, probes are at (\S+)\/readyz/.exec(text) ?? [];
});
afterAll(async () => {
  await running.stop();
  upstream.stop();
  stub.stop();
  certificates.remove();
  rmSync(folder, { recursive: true });
});

const post = (body: object) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** `OK`, or the code of the first error. */
async function ask(query: string, more: object = {}): Promise<string> {
  const response = await post({ query, ...more });
  const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
  return errors?.[0]?.extensions.code ?? 'OK';
}

/** What a second request gets while a first one waits for the upstream. */
async function askBesideHeld(): Promise<string> {
  const first = ask('{ companies(filter: { name: { eq: "held" } }) { totalCount } }');
  const { release } = await upstream.held();
  const second = await ask('{ __typename }');
  release();
  await first;
  return second;
}

async function openTwoSockets(): Promise<readonly (string | number)[]> {
  const opened = [await openSocket(url), await openSocket(url)];
  for (const { socket } of opened) socket.terminate();
  await expect.poll(async () => (await metrics()).of('tributary_sockets')).toBe(0);
  return opened.map(({ state }) => state);
}

const metrics = async () => readMetrics(await (await fetch(`${adminUrl}/metrics`)).text());

/** What the second subscription on a socket gets: an error, or nothing while both are open. */
async function subscribeTwice(): Promise<string> {
  const { socket } = await openSocket(url);
  let code: string | undefined;
  socket.on('message', (message) => {
    const { type, payload } = JSON.parse(String(message));
    if (type === 'error') code = payload[0].extensions.code;
  });
  const query = 'subscription { healthEventsChanged { trackingId } }';
  for (const id of ['1', '2']) socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }));
  const isOver = async () => code !== undefined || (await metrics()).of('tributary_subscriptions') === 2;
  await expect.poll(isOver).toBe(true);
  socket.terminate();
  await expect.poll(async () => (await metrics()).of('tributary_sockets')).toBe(0);
  return code ?? 'OK';
}

/** New documents that take long to validate keep the event loop busy. */
async function askWhenBusy(): Promise<string> {
  for (let at = 0; at < 30; at += 1)
    await ask(`{ ${'__typename '.repeat(280)} ${randomName()}: __typename }`);
  return askBesideHeld();
}

const secretSentBy = async (query: string, area: string) => {
  await ask(query);
  return lastSecret(stub, area);
};

/** Whether a request of this name is logged. */
async function isLogged(name: string): Promise<boolean> {
  await ask(`query ${name} { __typename }`);
  // This line is logged at every level, after that of the request.
  await reload();
  return running.output().includes(`"name":"${name}"`);
}

interface ReloadedSetting {
  readonly names: readonly SettingName[];
  readonly change?: Record<string, unknown>;
  changeFiles?(): void;
  readonly probe: () => Promise<unknown>;
  readonly before?: unknown;
  readonly after: unknown;
}

const limit = (
  name: SettingName,
  value: number,
  probe: () => Promise<unknown>,
  after: unknown,
  before: unknown = 'OK',
): ReloadedSetting => ({ names: [name], change: { [name.toLowerCase()]: value }, probe, before, after });

const companies = '{ companies { totalCount } }';
const settings: readonly ReloadedSetting[] = [
  limit('MAX_TOKENS', 3, () => ask(companies), 'GRAPHQL_PARSE_FAILED'),
  limit('MAX_DEPTH', 1, () => ask(companies), 'QUERY_TOO_COMPLEX'),
  limit('MAX_ALIASES', 1, () => ask('{ a: __typename b: __typename }'), 'QUERY_TOO_COMPLEX'),
  limit(
    'MAX_DIRECTIVES',
    1,
    () => ask('{ a: __typename @skip(if: false) @include(if: true) }'),
    'QUERY_TOO_COMPLEX',
  ),
  limit('MAX_COST', 1, () => ask('{ companies(first: 5) { nodes { id } } }'), 'QUERY_TOO_COMPLEX'),
  limit('MAX_ANSWER_BYTES', 1_024, () => ask('{ companies { nodes { name } } }'), 'QUERY_TOO_COMPLEX'),
  limit('MAX_REQUESTS', 1, askBesideHeld, 'OVERLOADED'),
  limit('MAX_REQUESTS_PER_CALLER', 1, askBesideHeld, 'OVERLOADED'),
  limit(
    'MAX_REQUESTS_PER_SECOND',
    1,
    async () => [await ask(companies), await ask(companies)],
    ['OK', 'RATE_LIMITED'],
    ['OK', 'OK'],
  ),
  limit('MAX_LOOP_DELAY_MS', 1, askWhenBusy, 'OVERLOADED'),
  limit('MAX_SOCKETS', 1, openTwoSockets, ['ready', 503], ['ready', 'ready']),
  limit('MAX_SOCKETS_PER_CALLER', 1, openTwoSockets, ['ready', 1013], ['ready', 'ready']),
  limit('MAX_SUBSCRIPTIONS', 1, subscribeTwice, 'OVERLOADED'),
  {
    names: ['TRUSTED_DOCUMENTS'],
    change: { trusted_documents: 'require' },
    probe: () => ask(companies),
    before: 'OK',
    after: 'DOCUMENT_NOT_TRUSTED',
  },
  {
    names: ['TRUSTED_DOCUMENTS_MANIFEST'],
    changeFiles: () => manifest(['new']),
    probe: async () => [await ask('', { documentId: 'known' }), await ask('', { documentId: 'new' })],
    before: ['OK', 'DOCUMENT_NOT_TRUSTED'],
    after: ['DOCUMENT_NOT_TRUSTED', 'OK'],
  },
  {
    names: ['BUSINESS_CLIENT_SECRET'],
    changeFiles: () => write('business-secret', 'next-business-secret'),
    probe: () => secretSentBy(companies, 'business'),
    before: 'first-business-secret',
    after: 'next-business-secret',
  },
  {
    names: ['MANAGEMENT_CLIENT_SECRET'],
    change: { management_client: { id: 'id', secret: 'next-management-secret' } },
    probe: () => secretSentBy('{ healthEvents { totalCount } }', 'management'),
    before: 'first-management-secret',
    after: 'next-management-secret',
  },
  {
    names: ['UPSTREAM_CLIENT_CERT_FILE', 'UPSTREAM_CLIENT_KEY_FILE', 'UPSTREAM_CLIENT_KEY_PASSPHRASE'],
    changeFiles() {
      const { cert, key } = certificates.misnamed;
      write('client.pem', cert);
      write('client.key', createPrivateKey(key).export(encrypted).toString());
    },
    change: {
      upstream_client: { cert_file: 'client.pem', key_file: 'client.key', key_passphrase: passphrase },
    },
    async probe() {
      await ask(companies);
      return upstream.subjects.at(-1);
    },
    before: 'localhost',
    after: 'elsewhere.example',
  },
  {
    names: ['LOG_LEVEL'],
    change: { log_level: 'info' },
    probe: () => isLogged(randomName()),
    before: false,
    after: true,
  },
];

test('every setting that says so is reloaded', () => {
  const named = settings.flatMap(({ names }) => names);
  const marked = Object.entries(settingsSchema.shape).filter(([, rule]) => reloadOf(rule));
  expect(marked.map(([name]) => name).toSorted()).toEqual(named.toSorted());
});

test.for(settings.map((setting) => [setting.names.join(', '), setting] as const))(
  '%s takes effect by SIGHUP, and its former value again',
  async ([names, { change = {}, changeFiles, probe, before, after }]) => {
    expect(await probe()).toEqual(before);

    changeFiles?.();
    writeSettings(change);
    const said = await reload();
    // A busy event loop is noticed after a second.
    await expect.poll(probe).toEqual(after);

    writeFiles();
    writeSettings();
    await reload();
    await expect.poll(probe).toEqual(before);
    expect(said).toBe(`Settings reloaded: ${names}.`);
  },
);
