import { generateKeyPairSync, sign } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createVerifier, type Verifier } from '../../../src/server/verification.ts';

const issuer = 'https://issuer.example/v2.0';
const audience = 'api://tributary';
const now = Date.UTC(2027, 0, 31, 12) / 1_000;
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
// Keys that are fetched as from any address, but without a socket.
const jwksUrl = `data:application/json,${JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] })}`;

let verifier: Verifier;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: now * 1_000 });
  verifier = createVerifier({ issuer, audience, jwksUrl, log: pino({ level: 'silent' }) });
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

test('a good token is verified once a minute', async () => {
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

test('a good token is not remembered after it ended', async () => {
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
  await expect(verifier.verify(token)).rejects.toThrow('ended');
});

test('a remembered token is forgotten in time although the clock was set back', async () => {
  const token = signed();
  const verify = vi.spyOn(crypto.subtle, 'verify');
  await verifier.verify(token);
  vi.setSystemTime((now - 50) * 1_000);
  vi.advanceTimersByTime(60_000);
  await verifier.verify(token);

  expect(verify).toHaveBeenCalledTimes(2);
});

test('a refusal is not remembered', async () => {
  const token = signed({ nbf: now + 90 });

  await expect(verifier.verify(token)).rejects.toThrow('not one for this layer');
  vi.advanceTimersByTime(30_000);
  expect(await verifier.verify(token)).toMatchObject({ subject: 'somebody' });
});

test('2,000 tokens are remembered, by nothing that would let one be told', async () => {
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
