import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Grant, holdToken, TokenError } from '../../../src/upstream/held-token.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Tokens that are numbered, and how many were asked for. */
function numbered(lifeMs: number | null = 3_600_000) {
  let asked = 0;
  const held = holdToken(async (): Promise<Grant> => {
    asked += 1;
    return { token: `token-${asked}`, lifeMs };
  });
  return { held, asked: () => asked };
}

test.each([
  ['a minute before its end', 3_600_000, 3_540_000],
  ['a tenth of its life before its end, where that is short', 100_000, 90_000],
  ['a while before five minutes, where nobody says how long it lasts', null, 270_000],
])('a token is replaced %s', async (_when, lifeMs, keptMs) => {
  const { held } = numbered(lifeMs);
  await held.get();
  vi.advanceTimersByTime(keptMs - 1);
  expect(await held.get()).toBe('token-1');
  vi.advanceTimersByTime(1);
  expect(await held.get()).toBe('token-2');
});

test('however many wait, one token is asked for', async () => {
  const { held, asked } = numbered();

  const tokens = await Promise.all(Array.from({ length: 1_000 }, () => held.get()));

  expect(new Set(tokens)).toEqual(new Set(['token-1']));
  expect(asked()).toBe(1);
});

test('however many say that a token was not accepted, one other is asked for', async () => {
  const { held, asked } = numbered();
  const token = await held.get();

  expect(Array.from({ length: 1_000 }, () => held.reject(token))).not.toContain(false);
  await Promise.all(Array.from({ length: 1_000 }, () => held.get()));

  expect(asked()).toBe(2);
  expect(held.reject(token)).toBe(true);
  expect(await held.get()).toBe('token-2');
});

test('where the other one is not accepted either, none is asked for until ten seconds later', async () => {
  const { held, asked } = numbered();
  held.reject(await held.get());
  const second = await held.get();

  expect(held.reject(second)).toBe(false);
  expect(await held.get()).toBe(second);
  vi.advanceTimersByTime(10_000);
  expect(held.reject(second)).toBe(true);
  await held.get();

  expect(asked()).toBe(3);
});

test('where none is granted everybody is told so, and nobody asks again for a second', async () => {
  let asked = 0;
  const held = holdToken(async () => {
    asked += 1;
    if (asked === 1) throw new TokenError('UNAUTHENTICATED', 'no');
    return { token: 'token', lifeMs: null };
  });

  const failures = await Promise.allSettled(Array.from({ length: 10 }, () => held.get()));
  await expect(held.get()).rejects.toThrow('no');

  expect(failures.every(({ status }) => status === 'rejected')).toBe(true);
  expect(asked).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(await held.get()).toBe('token');
});
