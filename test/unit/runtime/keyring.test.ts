import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { computeMac, deriveKey, matchesAny } from '../../../src/runtime/keyring.ts';

test('a key is the one that HKDF derives, the same at each call and another for each purpose and secret', () => {
  const key = deriveKey('a secret', 'a purpose');

  expect(key.toString('base64url')).toBe('vjTQmGUhG9DSbed-C4lrBNVGCxhK3NFJR98ZC8P6ik8');
  expect(deriveKey('a secret', 'a purpose')).toEqual(key);
  expect(deriveKey('a secret', 'another purpose')).not.toEqual(key);
  expect(deriveKey('another secret', 'a purpose')).not.toEqual(key);
});

test('a code is the HMAC-SHA-256 of RFC 4231, test case 2', () => {
  const hex = Buffer.from(computeMac('Jefe', 'what do ya want for nothing?'), 'base64url').toString('hex');

  expect(hex).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
});

test.each([
  ['first', true],
  ['second', true],
  ['third', false],
  ['firs', false],
  ['first ', false],
  ['', false],
])('of the codes first and second, %j matches: %s', (code, isMatch) => {
  expect(matchesAny(code, ['first', 'second'])).toBe(isMatch);
});

test('nothing matches where no code is expected', () => {
  expect(matchesAny('', [])).toBe(false);
  expect(matchesAny(createHash('sha256').digest('hex'), [])).toBe(false);
});
