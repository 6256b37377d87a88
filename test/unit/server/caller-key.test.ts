import { expect, test } from 'vitest';
import { callerKeyOf } from '../../../src/server/caller-key.ts';

const verified = (issuer: string, subject: string) => ({
  verified: { issuer, subject, scopes: new Set<string>(), expiresAt: 0 },
  peerAddress: '192.0.2.1',
});
const peer = (peerAddress: string) => callerKeyOf({ verified: null, peerAddress });

test('a verified caller is named by issuer and subject, whatever its address', () => {
  const one = callerKeyOf(verified('https://a.example', 'ann'));

  expect(callerKeyOf({ ...verified('https://a.example', 'ann'), peerAddress: '192.0.2.9' })).toBe(one);
  expect(callerKeyOf(verified('https://a.example', 'bob'))).not.toBe(one);
  expect(callerKeyOf(verified('https://b.example', 'ann'))).not.toBe(one);
  expect(one).not.toBe(peer('192.0.2.1'));
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
])('a caller who is not verified is named by its network: %s is %s', (address, name) => {
  expect(peer(address)).toBe(name);
});
