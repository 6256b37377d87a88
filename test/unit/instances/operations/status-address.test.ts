import { describe, expect, test } from 'vitest';
import { findStatusAddress } from '../../../../src/instances/operations/status-reader.ts';

const header = 'vendor-asyncoperation';
const addressOf = (value: string, url = 'https://up.test') =>
  findStatusAddress({ [header]: value }, url)?.path ?? null;

describe('the status address', () => {
  test.each([
    ['https://up.test/operations/1?api-version=1', '/operations/1?api-version=1'],
    ['HTTPS://UP.TEST/Operations/1', '/Operations/1'],
    ['operations/1?api-version=1', '/operations/1?api-version=1'],
    ['https://up.test/operations/1#part', '/operations/1'],
    ['/a//b', '/a//b'],
  ])('%s is read at %s', (value, address) => {
    expect(addressOf(value)).toBe(address);
  });

  test.each([
    ['https://other.test/operations/1'],
    ['//other.test/operations/1'],
    ['https://up.test@other.test/operations/1'],
  ])('%s loses its host: only the configured one is called', (value) => {
    expect(addressOf(value)).toBe('/operations/1');
  });

  test.each([['//other.test//third.test/x'], ['\\\\b.test\\x']])(
    '%s stays a path of the configured host',
    (value) => {
      const address = addressOf(value);

      expect(address).toMatch(/^\//);
      expect(new URL(`https://up.test${address}`).host).toBe('up.test');
    },
  );

  test('is kept byte for byte, since signatures cover it', () => {
    const signed = '/op*s/%2F%2f(1)/a%20b;c=d?t=6384%2B1&c=MII*~_-!$\'()&s=aB%2Fc+d==&h="x"|y';

    expect(addressOf(`https://up.test${signed}`)).toBe(signed);
  });

  test('may have 4 KB and no more', () => {
    const start = 'https://up.test/operations?s=';
    const longest = start + 'x'.repeat(4096 - start.length);

    expect(addressOf(longest)).toBe(longest.slice('https://up.test'.length));
    expect(addressOf(`${longest}x`)).toBeNull();
  });

  test.each([[''], ['https://up.test'], ['/a b'], ['/a\r\nX: y'], ['/a\u007f'], ['/ä'], ['/../x']])(
    'is not in %j',
    (value) => {
      expect(addressOf(value)).toBeNull();
    },
  );

  test.each([
    ['https://up.test/base/operations/1', 'https://up.test/base', '/operations/1'],
    ['/base/base/1', 'https://up.test/base', '/base/1'],
    ['/basement/1', 'https://up.test/base', '/basement/1'],
  ])('%s below %s is %s', (value, url, address) => {
    expect(addressOf(value, url)).toBe(address);
  });
});

describe('the header', () => {
  test.each([
    [{ 'Vendor-AsyncOperation': '/a' }, { path: '/a', isResult: false }],
    [
      { 'OTHER-ASYNCOPERATION': '/a', location: '/l' },
      { path: '/a', isResult: false },
    ],
    [{ location: '/l' }, { path: '/l', isResult: true }],
    [
      { [header]: '/a'.repeat(2_049), location: '/l' },
      { path: '/l', isResult: true },
    ],
    [
      { [header]: '', location: '/l' },
      { path: '/l', isResult: true },
    ],
    [{ asyncoperation: '/a', date: 'x' }, null],
  ])('of %o is %o', (headers, address) => {
    expect(findStatusAddress(headers, 'https://up.test')).toEqual(address);
  });

  test.each([
    [['/a', '/b'], '/a'],
    [['', '/a b', 'https://up.test/c'], '/c'],
  ])('that occurs several times (%j) gives the first', (values, path) => {
    expect(findStatusAddress({ [header]: values, location: ['/l', '/m'] }, 'https://up.test')?.path).toBe(
      path,
    );
  });
});
