import { gzipSync } from 'node:zlib';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTokenVerifier, type TokenVerifier } from '../../../src/server/guard/token-verification.ts';
import { type Stub, type StubAnswer, startStub } from '../../support/stub.ts';
import { startDecoy } from '../../support/upstreams/decoy.ts';

const issuer = 'https://issuer.example';
const audience = 'api://tributary';
const notForUs = 'The token is not valid for this server. Sign in and send the access token issued for it.';
const notNow = 'Tokens cannot be verified at the moment. Send the same request again in a few seconds.';

async function createKey(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' }, privateKey };
}
const [first, second] = (await Promise.all(['first', 'second'].map(createKey))) as [Key, Key];
type Key = Awaited<ReturnType<typeof createKey>>;
const setOf = (...keys: JWK[]): StubAnswer => ({ body: { keys } });

// Sockets have their own time: of this one only the tests know.
const later = (ms: number) => vi.advanceTimersByTime(ms);
let stops: (() => unknown)[];
let lines: string[];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  stops = [];
  lines = [];
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await Promise.all(stops.map((stop) => stop()));
  expect(lines.join('')).not.toContain('canary');
});

const warnings = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
const createFor = (jwksUrl: string) =>
  createTokenVerifier({
    fetch,
    issuer,
    audience,
    jwksUrl,
    log: pino({ level: 'trace' }, { write: (line) => void lines.push(line) }),
  });

let tokens = 0;
/** A new good token each time, which lasts long enough for every test. */
function tokenOf({ privateKey, jwk }: Key, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
  tokens += 1;
  const sub = `canary-${tokens}`;
  return new SignJWT({ iss: issuer, aud: audience, sub, exp: Date.now() / 1_000 + 7_200 })
    .setProtectedHeader({ alg: 'ES256', kid: jwk.kid, ...header })
    .sign(privateKey);
}

const answerTo = (verifier: TokenVerifier, token: string): Promise<string> =>
  verifier.verify({ business: token, management: null }).then(
    () => 'taken',
    (error: Error) => error.message,
  );
const ask = async (verifier: TokenVerifier, key: Key, header?: Partial<JWTHeaderParameters>) =>
  answerTo(verifier, await tokenOf(key, header));
const askMany = async (
  count: number,
  verifier: TokenVerifier,
  create: (index: number) => Promise<string>,
) => {
  const all = await Promise.all(Array.from({ length: count }, (_, index) => create(index)));
  return new Set(await Promise.all(all.map((token) => answerTo(verifier, token))));
};
const unknown = (index: number) => tokenOf(first, { kid: `canary-${index}` });

/** A server of keys whose answer a test may change. */
async function startKeys(answer: StubAnswer) {
  const server: { answer: StubAnswer; requests: Stub['requests']; verifier: TokenVerifier } = {
    answer,
    requests: [],
    verifier: createFor('data:,'),
  };
  const stub = await startStub(() => server.answer);
  stops.push(() => stub.stop());
  return Object.assign(server, { requests: stub.requests, verifier: createFor(`${stub.url}/keys?v=2`) });
}

test('the keys are fetched for the first token, once for many, and without a token', async () => {
  const { requests, verifier } = await startKeys(setOf(first.jwk));

  expect(requests).toHaveLength(0);
  expect(await askMany(100, verifier, () => tokenOf(first))).toEqual(new Set(['taken']));
  expect(requests).toMatchObject([{ method: 'GET', target: '/keys?v=2', body: '' }]);
  expect(JSON.stringify(requests)).not.toMatch(/canary|eyJhbGci|authorization|cookie/i);
  expect(lines).toEqual([]);
});

test('tokens of unknown keys cause one fetch in 30 seconds, and those of a new key are accepted after it', async () => {
  const server = await startKeys(setOf(first.jwk));
  await ask(server.verifier, first);
  server.answer = setOf(first.jwk, second.jwk);
  later(29_999);

  expect(await ask(server.verifier, second)).toBe(notForUs);
  expect(await askMany(100, server.verifier, unknown)).toEqual(new Set([notForUs]));
  expect(server.requests).toHaveLength(1);
  later(1);
  expect(await askMany(100, server.verifier, () => tokenOf(second))).toEqual(new Set(['taken']));
  expect(server.requests).toHaveLength(2);
});

test('a token of a removed key is rejected after 10 minutes, cached or not', async () => {
  const server = await startKeys(setOf(first.jwk, second.jwk));
  const remembered = await tokenOf(second);
  await ask(server.verifier, first);
  server.answer = setOf(first.jwk);
  later(599_999);

  expect(await answerTo(server.verifier, remembered)).toBe('taken');
  expect(await ask(server.verifier, second)).toBe('taken');
  later(1);
  expect(await answerTo(server.verifier, remembered)).toBe(notForUs);
  expect(await ask(server.verifier, second)).toBe(notForUs);
  expect(server.requests).toHaveLength(2);
});

const tooMuch = ' '.repeat(257 * 1_024);
const failures: [string, StubAnswer, string][] = [
  ['fails', { ...setOf(first.jwk), status: 503 }, 'HTTP status 503'],
  ['answers with a page', { body: '<html>' }, 'not valid JSON'],
  [
    'answers with a set that is small only on its way',
    { body: gzipSync(`{"keys":[]${tooMuch}}`), headers: { 'content-encoding': 'gzip' } },
    'The response is too large.',
  ],
  ['answers with 257 KB', { body: { keys: [first.jwk], pad: tooMuch } }, 'The response is too large.'],
];

test.for(failures)(
  'while the key set endpoint %s, tokens are rejected temporarily, it is requested once in 5 seconds and logged once',
  async ([, failure, reason]) => {
    const server = await startKeys(failure);

    expect(await askMany(100, server.verifier, () => tokenOf(first))).toEqual(new Set([notNow]));
    later(4_999);
    expect(await askMany(100, server.verifier, unknown)).toEqual(new Set([notNow]));
    expect(server.requests).toHaveLength(1);
    later(1);
    expect(await askMany(100, server.verifier, unknown)).toEqual(new Set([notNow]));
    expect(await askMany(100, server.verifier, unknown)).toEqual(new Set([notNow]));
    expect(server.requests).toHaveLength(2);
    expect(warnings()).toMatchObject([{ level: 40, reason: expect.stringContaining(reason) }]);
  },
);

test('the cached keys serve for 10 minutes while their endpoint is down, and no longer', async () => {
  const server = await startKeys(setOf(first.jwk));
  const remembered = await tokenOf(first);
  await ask(server.verifier, first);
  server.answer = { status: 503 };
  later(599_999);

  expect(await answerTo(server.verifier, remembered)).toBe('taken');
  later(1);
  expect(await answerTo(server.verifier, remembered)).toBe(notNow);
  server.answer = setOf(first.jwk);
  later(5_000);
  expect(await answerTo(server.verifier, remembered)).toBe('taken');
});

test('a redirect of the key set endpoint is not followed', async () => {
  const decoy = await startDecoy();
  stops.push(() => decoy.stop());
  const { verifier, requests } = await startKeys({
    status: 307,
    headers: { location: `http://${decoy.host}/keys` },
  });

  expect(await ask(verifier, first)).toBe(notNow);
  expect([requests.length, decoy.connections()]).toEqual([1, 0]);
});

test('a token that can be rejected without a key causes no fetch', async () => {
  const { verifier, requests } = await startKeys(setOf(first.jwk));
  const [head = '', ...rest] = (await tokenOf(first)).split('.');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString());
  const heads = [{ alg: 'none' }, { alg: 'HS256' }, { crit: ['exp'] }, { typ: 'logout+jwt' }].map((more) =>
    Buffer.from(JSON.stringify({ ...header, ...more })).toString('base64url'),
  );
  const all = [
    ...heads.map((other) => [other, ...rest].join('.')),
    [head, ...rest, 'a', 'b'].join('.'),
    'canary',
  ];

  expect(await askMany(all.length, verifier, async (index) => all[index] ?? '')).toEqual(new Set([notForUs]));
  expect(await answerTo(verifier, 'canary.'.repeat(150_000))).toContain('too long');
  expect(requests).toHaveLength(0);
});

test('no key is fetched from a URL in a token', async () => {
  const decoy = await startDecoy();
  stops.push(() => decoy.stop());
  const { verifier, requests } = await startKeys(setOf(first.jwk));
  const url = `http://${decoy.host}/keys`;
  const headers = [
    { jwk: second.jwk },
    { kid: url, jku: url, x5u: url },
    { jku: url, jwk: { ...second.jwk, x5u: url }, kid: undefined },
  ] as Partial<JWTHeaderParameters>[];
  const answers: string[] = [];
  for (const header of headers) {
    answers.push(await ask(verifier, { ...second, jwk: first.jwk }, header));
    later(30_000);
  }

  expect(new Set(answers)).toEqual(new Set([notForUs]));
  expect(await ask(verifier, first, { jku: url, x5u: url })).toBe('taken');
  expect(new Set(requests.map(({ target }) => target))).toEqual(new Set(['/keys?v=2']));
  expect([decoy.connections(), decoy.received()]).toEqual([0, '']);
});
