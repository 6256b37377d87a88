import { expect, test } from 'vitest';
import { keyOfIdentity, keyOfPeer } from '../../../src/server/caller-tokens.ts';

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
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['', ''],
])('the key of an unverified caller is its network: %s is %s', (address, key) => {
  expect(keyOfPeer(address)).toBe(key);
});
