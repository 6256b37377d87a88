import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { JWK } from 'jose';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { InputError } from '../../../../src/errors.ts';
import { createTokenVerifier, type TokenVerifier } from '../../../../src/server/guard/token-verification.ts';

const issuer = 'https://issuer.example/v2.0';
const audience = 'api://tributary';
// Everything in a token is a canary, so that a leak is found.
const subject = 'canary-subject';
const now = Date.UTC(2027, 0, 31, 12) / 1_000;

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const foreign = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const edwards = generateKeyPairSync('ed25519');
const secret = Buffer.from('a secret that was published by mistake');

const jwkOf = (key: KeyObject, kid: string): JWK => ({ ...(key.export({ format: 'jwk' }) as JWK), kid });
const published: JWK[] = [
  { ...jwkOf(rsa.publicKey, 'rsa'), alg: 'RS256', use: 'sig' },
  jwkOf(edwards.publicKey, 'edwards'),
  { kty: 'oct', k: secret.toString('base64url'), kid: 'oct' },
];

/** A fake `fetch` of the keys, without a socket. */
const addressOf = (keys: readonly JWK[]) =>
  `data:application/json,${encodeURIComponent(JSON.stringify({ keys }))}`;

let lines: string[];
let verifier: TokenVerifier;
const createFor = (keys: readonly JWK[]) =>
  createTokenVerifier({
    fetch,
    issuer,
    audience,
    jwksUrl: addressOf(keys),
    log: pino({ level: 'trace' }, { write: (line) => void lines.push(line) }),
  });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: now * 1_000 });
  lines = [];
  verifier = createFor(published);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const encode = (part: unknown) =>
  Buffer.from(
    part instanceof Buffer ? part : typeof part === 'string' ? part : JSON.stringify(part),
  ).toString('base64url');
const header = { alg: 'RS256', kid: 'rsa', canary: 'canary-header' };
const claims = { iss: issuer, aud: audience, sub: subject, iat: now, exp: now + 600, jti: 'canary-jti' };

/** Signs any header and claims with the issuer's key. Strings are used as they are. */
function signed(head: unknown = header, body: unknown = claims, key: KeyObject = rsa.privateKey): string {
  const text = `${encode(head)}.${encode(body)}`;
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return `${text}.${sign(hash, Buffer.from(text), key).toString('base64url')}`;
}
const withHeader = (more: object, key?: KeyObject) => signed({ ...header, ...more }, claims, key);
const withClaims = (more: object) => signed(header, { ...claims, ...more });
const without = (claim: string) => withClaims({ [claim]: undefined });

function hashed(secretKey: string | Buffer, more: object = {}): string {
  const text = `${encode({ ...header, alg: 'HS256', ...more })}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', secretKey).update(text).digest('base64url')}`;
}
const [head, body, signature] = signed().split('.') as [string, string, string];

const tokensOf = (business: string) => ({ business, management: null });

/** Returns the error for the caller, after checking that neither it nor the log contains any part of the token. */
async function refusalOf(token: string, by = verifier): Promise<string> {
  const error = await by.verify(tokensOf(token)).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(InputError);
  expect(error).toMatchObject({ code: 'UNAUTHENTICATED' });
  const { cause, message } = error as Error;
  expect(cause).toBeUndefined();
  const told = `${JSON.stringify(error, Object.getOwnPropertyNames(error))}${lines.join('')}`;
  expect(told).not.toContain('canary');
  for (const part of token.split('.').filter(({ length }) => length > 12)) expect(told).not.toContain(part);
  return message;
}
const forLayer = 'The token is not valid for this server. Sign in and send the access token issued for it.';
const hasEnded = 'The token has expired. Sign in again and send the new one.';
const isTooLong = 'The token is too long. Send one of at most 8192 characters.';

test('a valid token gives identity, scopes and expiry', async () => {
  const token = withClaims({
    scp: 'records.read records.write',
    scope: ['health.read'],
    roles: ['Operator'],
  });

  expect(await verifier.verify(tokensOf(token))).toEqual({
    issuer,
    subject,
    key: JSON.stringify([issuer, subject]),
    scopes: new Set(['records.read', 'records.write', 'health.read', 'Operator']),
    expiresAt: (now + 600) * 1_000,
  });
  expect(lines).toEqual([]);
});

test.for<[string, object, string[]]>([
  ['texts with several spaces', { scp: ' a  b ', scope: '' }, ['a', 'b']],
  ['lists', { scp: ['a', 'b c'], scope: ['d'], roles: ['a'] }, ['a', 'b c', 'd']],
  ['roles as a text', { roles: 'Operator' }, []],
  [
    'values that are no texts',
    { scp: 1, scope: { a: 'b' }, roles: [1, null, ['a'], { b: 'c' }, 'd'] },
    ['d'],
  ],
])('the scopes of %s are only its strings', async ([, more, expected]) => {
  const { scopes } = await verifier.verify(tokensOf(withClaims(more)));

  expect([...scopes]).toEqual(expected);
});

test.for<[string, () => string]>([
  ['with an audience list that holds ours', () => withClaims({ aud: ['another', audience] })],
  ['that ended 59 seconds ago', () => withClaims({ exp: now - 59 })],
  ['that begins in 60 seconds', () => withClaims({ nbf: now + 60 })],
  ['without the time of its issue', () => without('iat')],
  ['of the type application/at+JWT', () => withHeader({ typ: 'application/at+JWT' })],
])('a token %s is accepted', async ([, create]) => {
  expect(await verifier.verify(tokensOf(create()))).toMatchObject({ issuer, subject });
});

test('a token without a key id is accepted if there is one key, and rejected if there are several', async () => {
  const token = withHeader({ kid: undefined });
  const one = jwkOf(rsa.publicKey, 'one');

  expect(await createFor([one]).verify(tokensOf(token))).toMatchObject({ subject });
  expect(await refusalOf(token, createFor([one, { ...one, kid: 'another' }]))).toBe(forLayer);
});

/** Claims with a duplicate name, which no object can hold. */
function twice(name: string, first: unknown, last: unknown): string {
  const rest = JSON.stringify({ ...claims, [name]: undefined }).slice(1);
  return `{"${name}":${JSON.stringify(first)},"${name}":${JSON.stringify(last)},${rest}`;
}

const unsigned = (alg: unknown) => `${encode({ ...header, alg })}.${body}.${signature}`;
const publicPem = rsa.publicKey.export({ format: 'pem', type: 'spki' });

test.for<[string, () => string]>([
  ['of alg none', () => unsigned('none')],
  ['of no alg', () => unsigned(undefined)],
  ['without the part of the signature', () => `${head}.${body}`],
  ['hashed with the public key as PEM', () => hashed(publicPem)],
  ['hashed with a secret among the keys', () => hashed(secret, { kid: 'oct' })],
  ['of an alg its key is not for', () => withHeader({ alg: 'PS256' })],
  ['signed by the key of another server', () => withHeader({}, foreign.privateKey)],
  [
    'signed by the key in its header',
    () => withHeader({ jwk: jwkOf(foreign.publicKey, 'rsa') }, foreign.privateKey),
  ],
  ['for another audience', () => withClaims({ aud: 'api://another' })],
  ['of another issuer', () => withClaims({ iss: 'https://attacker.example/v2.0' })],
  ['that begins in 61 seconds', () => withClaims({ nbf: now + 61 })],
  ['issued in 61 seconds', () => withClaims({ iat: now + 61 })],
  ['without an end', () => without('exp')],
  ['that never ends', () => signed(header, JSON.stringify(claims).replace(/("exp":)\d+/, '$11e999'))],
  ['without a subject', () => without('sub')],
  ['with an empty subject', () => withClaims({ sub: '' })],
  ['with b64 that nothing makes critical', () => withHeader({ b64: false })],
  ['of the type id+jwt', () => withHeader({ typ: 'id+jwt' })],
  ['of a type that is no text', () => withHeader({ typ: 7 })],
  ['that tells who signed in, with a digest of the real one', () => withClaims({ at_hash: 'MTIzNDU2' })],
  ['that tells who signed in, with a digest of a code', () => withClaims({ c_hash: 'MTIzNDU2' })],
  ['that tells who signed out', () => withClaims({ events: { 'http://schemas.openid.net/event': {} } })],
  ['of an unknown key', () => withHeader({ kid: 'unknown' })],
  ['of the key __proto__', () => withHeader({ kid: '__proto__' })],
  ['in which the bad one of two audiences is the last', () => signed(header, twice('aud', audience, 'x'))],
  ['whose claims stand in its prototype', () => signed(header, `{"__proto__":${JSON.stringify(claims)}}`)],
  ['of five parts', () => `${signed()}.${body}.${signature}`],
  ['with a space behind', () => `${signed()} `],
  [
    'with a line end in the signature',
    () => `${head}.${body}.${signature.slice(0, 8)}\n${signature.slice(8)}`,
  ],
])('a token %s is rejected', async ([, create]) => {
  expect(await refusalOf(create())).toBe(forLayer);
});

test.for<[string, () => string, object]>([
  ['that is for others', () => withClaims({ aud: 'canary' }), { claim: 'aud' }],
  ['of an unknown key', () => withHeader({ kid: 'canary' }), { code: 'ERR_JWKS_NO_MATCHING_KEY' }],
])('at debug level, the log has the reason why a token %s was rejected', async ([, create, reason]) => {
  await refusalOf(create());

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 20, ...reason }]);
});

test('a token that expired 60 seconds ago is rejected with the advice to sign in again', async () => {
  expect(await refusalOf(withClaims({ exp: now - 60 }))).toBe(hasEnded);
});

test('a token of 8,192 characters is accepted, and a longer one rejected unread', async () => {
  const padded = Array.from({ length: 24 }, (_, more) =>
    signed(
      { ...header, pad: 'x'.repeat(more % 3) },
      { ...claims, pad: 'x'.repeat(5_680 - Math.floor(more / 3)) },
    ),
  );
  const [longest = '', longer = ''] = [8_192, 8_193].map((length) =>
    padded.find((token) => token.length === length),
  );
  expect(await verifier.verify(tokensOf(longest))).toMatchObject({ subject });
  const parse = vi.spyOn(JSON, 'parse');

  for (const token of [longer, 'canary'.repeat(180_000), 'a.'.repeat(500_000)]) {
    expect(await refusalOf(token)).toBe(isTooLong);
  }
  expect(parse).not.toHaveBeenCalled();
});

test('only the canonical encoding of a signature is accepted', async () => {
  const token = signed({ ...header, alg: 'EdDSA', kid: 'edwards' }, claims, edwards.privateKey);
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');
  const taken: string[] = [];
  for (const character of last) {
    const edited = `${token.slice(0, -1)}${character}`;
    await verifier.verify(tokensOf(edited)).then(
      () => taken.push(edited),
      () => {},
    );
  }

  expect(taken).toEqual([token]);
});

test('a tokens object is verified once a minute, even if the clock is set back', async () => {
  const tokens = tokensOf(signed());
  const verify = vi.spyOn(crypto.subtle, 'verify');
  const caller = await verifier.verify(tokens);
  vi.setSystemTime((now - 50) * 1_000);
  vi.advanceTimersByTime(59_999);

  expect(await verifier.verify(tokens)).toBe(caller);
  expect(verify).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  await verifier.verify(tokens);
  await verifier.verify({ ...tokens });
  expect(verify).toHaveBeenCalledTimes(3);
});

test('a token is not cached beyond its expiry, and a rejection not at all', async () => {
  const tokens = tokensOf(withClaims({ exp: now + 10 }));
  const early = tokensOf(withClaims({ nbf: now + 70 }));
  const verify = vi.spyOn(crypto.subtle, 'verify');
  await verifier.verify(tokens);
  vi.advanceTimersByTime(9_999);
  await verifier.verify(tokens);
  expect(verify).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  await verifier.verify(tokens);
  await verifier.verify(tokens);
  expect(verify).toHaveBeenCalledTimes(3);

  vi.setSystemTime(now * 1_000);
  await expect(verifier.verify(early)).rejects.toThrow('not valid for this server');
  vi.advanceTimersByTime(10_000);
  expect(await verifier.verify(early)).toMatchObject({ subject });
});
