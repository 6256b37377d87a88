import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTokenCache, TokenError, type TokenGrant } from '../../../../src/http/auth/token-cache.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A cache of numbered tokens, and how many were requested. */
function createNumberedTokens(lifeMs: number | null = 3_600_000) {
  let requests = 0;
  const cache = createTokenCache(async (): Promise<TokenGrant> => {
    requests += 1;
    return { token: `token-${requests}`, lifetimeMs: lifeMs };
  });
  return { cache, requests: () => requests };
}

test.each([
  ['a minute before its end', 3_600_000, 3_540_000],
  ['a tenth of its life before its end, where that is short', 100_000, 90_000],
  ['a while before five minutes, where nobody says how long it lasts', null, 270_000],
])('a token is renewed %s', async (_when, lifeMs, keptMs) => {
  const { cache } = createNumberedTokens(lifeMs);
  await cache.get();
  vi.advanceTimersByTime(keptMs - 1);
  expect(await cache.get()).toBe('token-1');
  vi.advanceTimersByTime(1);
  expect(await cache.get()).toBe('token-2');
});

test('a token that many calls report as rejected is renewed once', async () => {
  const { cache, requests } = createNumberedTokens();
  const token = await cache.get();

  expect(Array.from({ length: 1_000 }, () => cache.invalidate(token))).not.toContain(false);
  await Promise.all(Array.from({ length: 1_000 }, () => cache.get()));

  expect(requests()).toBe(2);
  expect(cache.invalidate(token)).toBe(true);
  expect(await cache.get()).toBe('token-2');
});

test('a second rejection within ten seconds renews nothing', async () => {
  const { cache, requests } = createNumberedTokens();
  cache.invalidate(await cache.get());
  const second = await cache.get();

  expect(cache.invalidate(second)).toBe(false);
  expect(await cache.get()).toBe(second);
  vi.advanceTimersByTime(10_000);
  expect(cache.invalidate(second)).toBe(true);
  await cache.get();

  expect(requests()).toBe(3);
});

test('a refusal is reported to all callers, and cached for a second', async () => {
  let requests = 0;
  const cache = createTokenCache(async () => {
    requests += 1;
    if (requests === 1) throw new TokenError('UNAUTHENTICATED', 'no');
    return { token: 'token', lifetimeMs: null };
  });

  const failures = await Promise.allSettled(Array.from({ length: 10 }, () => cache.get()));
  await expect(cache.get()).rejects.toThrow('no');

  expect(failures.every(({ status }) => status === 'rejected')).toBe(true);
  expect(requests).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(await cache.get()).toBe('token');
});
