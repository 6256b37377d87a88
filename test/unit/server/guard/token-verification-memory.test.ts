import { generateKeyPairSync, sign } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTokenReader } from '../../../../src/server/caller-tokens.ts';
import { createTokenVerifier, type TokenVerifier } from '../../../../src/server/guard/token-verification.ts';

const issuer = 'https://issuer.example/v2.0';
const audience = 'api://tributary';
const now = Date.UTC(2027, 0, 31, 12) / 1_000;
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
// A fake `fetch` of the keys, without a socket.
const jwksUrl = `data:application/json,${JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] })}`;

let verifier: TokenVerifier;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: now * 1_000 });
  verifier = createTokenVerifier({
    fetch,
    issuer,
    audience,
    jwksUrl,
    log: pino({ level: 'silent' }),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const readTokens = createTokenReader();
const tokensOf = (token: string) => readTokens(`Bearer ${token}`, undefined);

function signed(more: object = {}): string {
  const claims = { iss: issuer, aud: audience, sub: 'somebody', exp: now + 600, ...more };
  const parts = [{ alg: 'EdDSA' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return [...parts, sign(null, Buffer.from(parts.join('.')), privateKey).toString('base64url')].join('.');
}

test('a valid token is verified once a minute', async () => {
  const token = signed();
  const verify = vi.spyOn(crypto.subtle, 'verify');
  const callers = [await verifier.verify(tokensOf(token))];
  vi.advanceTimersByTime(59_999);
  callers.push(await verifier.verify(tokensOf(token)));

  expect(callers[1]).toBe(callers[0]);
  expect(verify).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  await verifier.verify(tokensOf(token));
  expect(verify).toHaveBeenCalledTimes(2);
});

test('a token is not cached beyond its expiry', async () => {
  const token = signed({ exp: now + 10 });
  const verify = vi.spyOn(crypto.subtle, 'verify');
  await verifier.verify(tokensOf(token));
  vi.advanceTimersByTime(9_999);
  await verifier.verify(tokensOf(token));

  expect(verify).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  await verifier.verify(tokensOf(token));
  await verifier.verify(tokensOf(token));
  expect(verify).toHaveBeenCalledTimes(3);
  vi.advanceTimersByTime(60_000);
  await expect(verifier.verify(tokensOf(token))).rejects.toThrow('has expired');
});

test('a cached token expires even if the clock is set back', async () => {
  const token = signed();
  const verify = vi.spyOn(crypto.subtle, 'verify');
  await verifier.verify(tokensOf(token));
  vi.setSystemTime((now - 50) * 1_000);
  vi.advanceTimersByTime(60_000);
  await verifier.verify(tokensOf(token));

  expect(verify).toHaveBeenCalledTimes(2);
});

test('a rejection is not cached', async () => {
  const token = signed({ nbf: now + 90 });

  await expect(verifier.verify(tokensOf(token))).rejects.toThrow('not valid for this server');
  vi.advanceTimersByTime(30_000);
  expect(await verifier.verify(tokensOf(token))).toMatchObject({ subject: 'somebody' });
});

test('a token whose tokens object is new is verified again', async () => {
  const token = signed();
  const verify = vi.spyOn(crypto.subtle, 'verify');
  for (const tokens of [tokensOf(token), { ...tokensOf(token) }]) await verifier.verify(tokens);

  expect(verify).toHaveBeenCalledTimes(2);
});
