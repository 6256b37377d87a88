import { describe, expect, test } from 'vitest';
import { createPrincipalHasher, readBearerToken } from '../../../../src/http/auth/bearer.ts';

describe('the token of an Authorization header', () => {
  test.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['Bearer eyJ.a-b_c~d+e/f==', 'eyJ.a-b_c~d+e/f=='],
  ])('%j is %s', (header, token) => {
    expect(readBearerToken(header)).toBe(token);
  });

  test.each([
    [undefined],
    [''],
    ['Bearer '],
    ['Bearerabc'],
    ['Bearer a b'],
    ['Bearer a\r\nX-Other: b'],
    ['Basic YTpi'],
  ])('%j has none', (header) => {
    expect(readBearerToken(header)).toBeNull();
  });
});

const principalOf = createPrincipalHasher('a secret of the tests');

describe('a principal', () => {
  test('is the same on every replica with the same secret, and on no other', () => {
    expect(createPrincipalHasher('a secret of the tests')('ada')).toBe(principalOf('ada'));
    expect(createPrincipalHasher('another secret of tests')('ada')).not.toBe(principalOf('ada'));
  });

  test('depends on how its parts are divided', () => {
    expect(principalOf('issuer', 'subject')).not.toBe(principalOf('issuersubject'));
    expect(principalOf('a', '","b')).not.toBe(principalOf('a', '', 'b'));
  });

  test('contains no part of the token', () => {
    const name = principalOf('abc');

    expect(name).toMatch(/^[\w-]{43}$/);
    expect(principalOf('a'.repeat(5000))).toHaveLength(name.length);
    expect(principalOf('a-rather-long-token')).not.toContain('rather');
  });
});
