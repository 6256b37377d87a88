import { describe, expect, test } from 'vitest';
import { findStatusAddress } from '../../../../src/instances/operations/status-reader.ts';

const header = 'vendor-asyncoperation';
const addressOf = (value: string, url = 'https://up.test') =>
  findStatusAddress({ [header]: value }, url)?.path ?? null;

describe('the status address', () => {
  test.each([
    ['https://up.test/operations/1?api-version=1', '/operations/1?api-version=1'],
    ['http://up.test/operations/1', '/operations/1'],
    ['HTTPS://UP.TEST/Operations/1', '/Operations/1'],
    ['/operations/1?api-version=1', '/operations/1?api-version=1'],
    ['operations/1?api-version=1', '/operations/1?api-version=1'],
    ['https://up.test/operations/1#part', '/operations/1'],
    ['?operation=1', '/?operation=1'],
    ['https://up.test?operation=1', '/?operation=1'],
    ['/a//b', '/a//b'],
    ['/a?next=https://other.test/x', '/a?next=https://other.test/x'],
  ])('%s is read at %s', (value, address) => {
    expect(addressOf(value)).toBe(address);
  });

  test.each([
    ['https://other.test/operations/1'],
    ['//other.test/operations/1'],
    ['https://ada:secret@other.test/operations/1'],
    ['https://up.test:8443/operations/1'],
    ['https://up.test@other.test/operations/1'],
    ['https://[::1]:8443/operations/1'],
    ['file:///operations/1'],
    ['http://169.254.169.254/operations/1'],
  ])('%s loses its host: only the configured one is called', (value) => {
    expect(addressOf(value)).toBe('/operations/1');
  });

  test.each([
    ['//other.test//third.test/x'],
    ['https://a.test//b.test/x'],
    ['////b.test/x'],
    ['\\\\b.test\\x'],
  ])('%s stays a path of the configured host', (value) => {
    const address = addressOf(value);

    expect(address).toMatch(/^\//);
    expect(new URL(`https://up.test${address}`).host).toBe('up.test');
  });

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

  test.each([
    [''],
    ['https://up.test'],
    ['//up.test'],
    ['#part'],
    ['/a b'],
    [' /a'],
    ['/a\r\nX: y'],
    ['/a\u0000'],
    ['/a\u007f'],
    ['/ä'],
    ['/📬'],
    ['/../x'],
    ['https://up.test/a/%2e%2e/x'],
  ])('is not in %j', (value) => {
    expect(addressOf(value)).toBeNull();
  });

  test.each([
    ['https://up.test/base/operations/1', 'https://up.test/base', '/operations/1'],
    ['https://up.test/base/operations/1', 'https://up.test/base/', '/operations/1'],
    ['/base/operations/1', 'https://up.test/base', '/operations/1'],
    ['/base/base/1', 'https://up.test/base', '/base/1'],
    ['/operations/1', 'https://up.test/base', '/operations/1'],
    ['/basement/1', 'https://up.test/base', '/basement/1'],
    ['/a/b/operations/1?x=/a/b/', 'https://up.test/a/b', '/operations/1?x=/a/b/'],
  ])('%s below %s is %s', (value, url, address) => {
    expect(addressOf(value, url)).toBe(address);
  });
});

describe('the header', () => {
  test.each([['Vendor-AsyncOperation'], ['vendor-asyncoperation'], ['OTHER-ASYNCOPERATION']])(
    '%s gives the address',
    (name) => {
      expect(findStatusAddress({ [name]: '/a' }, 'https://up.test')).toEqual({ path: '/a', isResult: false });
    },
  );

  test('Location is used where the other is absent, empty or too long', () => {
    const long = '/a'.repeat(2049);

    expect(findStatusAddress({ location: '/l', [header]: long }, 'https://up.test')).toEqual({
      path: '/l',
      isResult: true,
    });
    expect(findStatusAddress({ location: '/l' }, 'https://up.test')).toEqual({ path: '/l', isResult: true });
    expect(findStatusAddress({ [header]: '', location: '/l' }, 'https://up.test')).toEqual({
      path: '/l',
      isResult: true,
    });
  });

  test('Location yields to the other', () => {
    expect(findStatusAddress({ location: '/l', [header]: '/a' }, 'https://up.test')).toEqual({
      path: '/a',
      isResult: false,
    });
  });

  test('that is missing gives no address', () => {
    expect(findStatusAddress({}, 'https://up.test')).toBeNull();
    expect(findStatusAddress({ asyncoperation: '/a', date: 'x' }, 'https://up.test')).toBeNull();
  });

  test.each([
    [['/a', '/b'], '/a'],
    [['https://other.test/a', 'https://third.test/b'], '/a'],
    [['', '/a b', 'https://up.test/c'], '/c'],
    [[], '/l'],
  ])('that occurs several times (%j) gives the first', (values, path) => {
    expect(findStatusAddress({ [header]: values, location: ['/l', '/m'] }, 'https://up.test')?.path).toBe(
      path,
    );
  });
});
