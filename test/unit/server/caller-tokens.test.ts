import { expect, test } from 'vitest';
import {
  createTokenReader,
  digestTokens,
  keyOfIdentity,
  keyOfPeer,
} from '../../../src/server/caller-tokens.ts';

test('the same headers give one object, with the tokens of both', () => {
  const readTokens = createTokenReader();
  const [own, both] = [readTokens('Bearer a', 'Bearer a'), readTokens('Bearer a', 'bearer b')];

  expect([own, both]).toEqual([
    { business: 'a', management: 'a' },
    { business: 'a', management: 'b' },
  ]);
  expect(readTokens(' Bearer a ', 'Bearer a')).toBe(own);
  expect(readTokens('Bearer a', 'bearer b')).toBe(both);
  expect(readTokens(undefined, undefined)).toEqual({ business: null, management: null });
});

test.each([
  [
    ['Bearer a', 'Bearer b'],
    ['Bearer aBearer b', undefined],
  ],
  [
    ['Bearer a', undefined],
    [undefined, 'Bearer a'],
  ],
])('the headers %j and %j give different objects', ([oneHeader, oneOther], [header, other]) => {
  const readTokens = createTokenReader();

  expect(readTokens(oneHeader, oneOther)).not.toBe(readTokens(header, other));
});

test('at most 16 MB of tokens are kept', () => {
  const readTokens = createTokenReader();
  const headerOf = (index: number) => `Bearer ${index}${'x'.repeat(1024 * 1024)}`;
  const first = readTokens(headerOf(0), undefined);
  for (let index = 1; index < 15; index++) readTokens(headerOf(index), undefined);
  expect(readTokens(headerOf(0), undefined)).toBe(first);

  for (let index = 15; index < 32; index++) readTokens(headerOf(index), undefined);
  expect(readTokens(headerOf(0), undefined)).not.toBe(first);
});

test('equal tokens have one digest, which contains neither of them', () => {
  const tokens = { business: 'secret-a', management: 'secret-b' };

  expect(digestTokens({ ...tokens })).toBe(digestTokens(tokens));
  expect(digestTokens({ ...tokens, management: null })).not.toBe(digestTokens(tokens));
  expect(digestTokens({ business: 'secret-b', management: 'secret-a' })).not.toBe(digestTokens(tokens));
  expect(digestTokens(tokens)).not.toMatch(/secret/);
});

test('the key of a verified caller depends on issuer and subject, and differs from any address', () => {
  const key = keyOfIdentity('https://a.example', 'ann');

  expect(keyOfIdentity('https://a.example', 'ann')).toBe(key);
  expect(keyOfIdentity('https://a.example', 'bob')).not.toBe(key);
  expect(keyOfIdentity('https://b.example', 'ann')).not.toBe(key);
  expect(key).not.toBe(keyOfPeer('192.0.2.1'));
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
])('the key of an unverified caller is its network: %s is %s', (address, key) => {
  expect(keyOfPeer(address)).toBe(key);
});
