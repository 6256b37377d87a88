import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSegmentFault, leavesBase } from '../../../src/http/path-segment.ts';

describe('a path segment', () => {
  test.each([
    ['', 'empty'],
    ['.', 'dot segment'],
    ['..', 'dot segment'],
    ['a/b', 'slash'],
    ['a\\b', 'backslash'],
    ['a\nb', 'control character'],
    ['\u0085', 'control character'],
    ['\ud800', 'well-formed'],
  ])('cannot be %j', (name, why) => {
    expect(findSegmentFault(name)).toMatch(/^must .*\.$/);
    expect(findSegmentFault(name)).toContain(why);
  });

  test('that is accepted stays one segment when it is encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (name) => {
        fc.pre(findSegmentFault(name) === null);
        const { pathname, search, hash } = new URL(`http://up/a/${encodeURIComponent(name)}/z`);

        expect(pathname.split('/').map(decodeURIComponent)).toEqual(['', 'a', name, 'z']);
        expect(search + hash).toBe('');
      }),
    );
  });
});

test.each([
  '/../x',
  '/a/./x',
  '/%2e%2E/x',
  '/.%2e?y',
  '/a\\..\\x',
  '/a%2f..%5cx',
  '/..;a/x',
  '@host/x',
  'http://host/x',
  '',
  '../x',
])('the path %j leaves its base', (path) => {
  expect(leavesBase(path)).toBe(true);
});

test.each(['/', '/a..b/x', '/a//b', '/...', '/a/..x', '/a?next=/../x', '/op*s/%2F%2f(1)'])(
  'the path %j stays below its base',
  (path) => {
    expect(leavesBase(path)).toBe(false);
  },
);
