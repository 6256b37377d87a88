import { generateKeyPairSync, sign } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
  verifier = createTokenVerifier({ fetch, issuer, audience, jwksUrl, log: pino({ level: 'silent' }) });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

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
  const callers = [await verifier.verify(token)];
  vi.advanceTimersByTime(59_999);
  callers.push(await verifier.verify(token));

  expect(callers[1]).toBe(callers[0]);
  expect(verify).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  await verifier.verify(token);
  expect(verify).toHaveBeenCalledTimes(2);
});

test('a token is not cached beyond its expiry', async () => {
  const token = signed({ exp: now + 10 });
  const verify = vi.spyOn(crypto.subtle, 'verify');
  await verifier.verify(token);
  vi.advanceTimersByTime(9_999);
  await verifier.verify(token);

  expect(verify).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  await verifier.verify(token);
  await verifier.verify(token);
  expect(verify).toHaveBeenCalledTimes(3);
  vi.advanceTimersByTime(60_000);
  await expect(verifier.verify(token)).rejects.toThrow('has expired');
});

test('a cached token expires even if the clock is set back', async () => {
  const token = signed();
  const verify = vi.spyOn(crypto.subtle, 'verify');
  await verifier.verify(token);
  vi.setSystemTime((now - 50) * 1_000);
  vi.advanceTimersByTime(60_000);
  await verifier.verify(token);

  expect(verify).toHaveBeenCalledTimes(2);
});

test('a rejection is not cached', async () => {
  const token = signed({ nbf: now + 90 });

  await expect(verifier.verify(token)).rejects.toThrow('not valid for this server');
  vi.advanceTimersByTime(30_000);
  expect(await verifier.verify(token)).toMatchObject({ subject: 'somebody' });
});

test('2,000 tokens are cached, and none can be recovered from the cache', async () => {
  const put = vi.spyOn(LRUCache.prototype, 'set');
  const verify = vi.spyOn(crypto.subtle, 'verify');
  const tokens = Array.from({ length: 2_001 }, (_, index) => signed({ jti: `${index}` }));
  for (const token of tokens) await verifier.verify(token);
  const { length: first } = verify.mock.calls;
  for (const token of tokens.slice(1)) await verifier.verify(token);

  expect([first, verify.mock.calls.length]).toEqual([2_001, 2_001]);
  await verifier.verify(tokens[0] ?? '');
  expect(verify).toHaveBeenCalledTimes(2_002);
  expect(put.mock.calls.every(([key]) => /^[\w-]{43}$/.test(key as string))).toBe(true);
  const kept = JSON.stringify(put.mock.calls);
  expect(
    tokens.filter((token) => token.split('.').some((part) => part.length > 60 && kept.includes(part))),
  ).toEqual([]);
});
