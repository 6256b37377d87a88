import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { segmentFault } from '../../../src/upstream/path-segment.ts';

describe('a segment of a path', () => {
  test.each([
    ['', 'empty'],
    ['.', 'dot segment'],
    ['..', 'dot segment'],
    ['a/b', 'slash'],
    ['a\\b', 'backslash'],
    ['a\nb', 'control character'],
    ['\u0000', 'control character'],
    ['\u007f', 'control character'],
    ['\u0085', 'control character'],
    ['\ud800', 'well-formed'],
  ])('is not %j', (name, why) => {
    expect(segmentFault(name)).toMatch(/^must .*\.$/);
    expect(segmentFault(name)).toContain(why);
  });

  test('that passes stays in its place once it is encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (name) => {
        fc.pre(segmentFault(name) === null);
        const { pathname, search, hash } = new URL(`http://up/a/${encodeURIComponent(name)}/z`);

        expect(pathname.split('/').map(decodeURIComponent)).toEqual(['', 'a', name, 'z']);
        expect(search + hash).toBe('');
      }),
    );
  });
});
