import { expect, test } from 'vitest';
import { getOwner, getUserName } from '../../../browser/identity.js';

const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

test('getOwner returns the issuer and subject of a JWT, or else the token', () => {
  const ada = jwt({ iss: 'https://login.example', sub: 'ada ö', exp: 1 });

  expect(getOwner(ada)).toBe(getOwner(jwt({ exp: 2, sub: 'ada ö', iss: 'https://login.example' })));
  expect(getOwner(ada)).not.toBe(getOwner(jwt({ iss: 'https://login.example', sub: 'guest', exp: 1 })));
  expect(getOwner(ada)).not.toBe(getOwner(jwt({ iss: 'https://other.example', sub: 'ada ö', exp: 1 })));
  for (const token of ['opaque', 'a.b.c', jwt({ exp: 1 }), jwt(null), ''])
    expect(getOwner(token)).toBe(token);
});

test('getUserName prefers a name to an address to a subject', () => {
  expect(getUserName(jwt({ name: 'Ada Ö', upn: 'ada@example.org', sub: '7' }))).toBe('Ada Ö');
  expect(getUserName(jwt({ name: '', upn: 'ada@example.org', sub: '7' }))).toBe('ada@example.org');
  expect(getUserName(jwt({ name: { first: 'Ada' }, sub: '7' }))).toBe('7');
  expect(getUserName(jwt({ name: 7 }))).toBeNull();
  expect(getUserName('opaque')).toBeNull();
});
