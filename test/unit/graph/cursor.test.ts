import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import { createCursors, type Position, scopeOf } from '../../../src/graph/cursor.ts';

const cursors = createCursors(['the secret of the tests']);
const scope = scopeOf('company', 'customers');

const positions: fc.Arbitrary<Position> = fc.record({
  page: fc.option(fc.string({ unit: 'binary', maxLength: 200 })),
  offset: fc.nat(),
});

describe('a cursor', () => {
  test('opens to the position it was sealed from', () => {
    fc.assert(
      fc.property(positions, (position) => {
        expect(cursors.open(scope, cursors.seal(scope, position))).toEqual(position);
      }),
    );
  });

  test('is the same each time, so that a page read twice looks the same', () => {
    const position = { page: '$skiptoken=abc', offset: 3 };

    expect(cursors.seal(scope, position)).toBe(cursors.seal(scope, position));
  });

  test('needs no encoding in an address', () => {
    fc.assert(
      fc.property(positions, (position) => {
        expect(cursors.seal(scope, position)).toMatch(/^[\w.-]+$/);
      }),
    );
  });

  test('does not open once any one character is replaced, deleted or inserted', () => {
    const edits = fc.tuple(
      positions,
      fc.nat(),
      fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constantFrom(...'AQgw.=-_ \n')),
      fc.constantFrom('replace', 'delete', 'insert'),
    );
    fc.assert(
      fc.property(edits, ([position, place, character, kind]) => {
        const cursor = cursors.seal(scope, position);
        const at = place % (kind === 'insert' ? cursor.length + 1 : cursor.length);
        const edited =
          cursor.slice(0, at) +
          (kind === 'delete' ? '' : character) +
          cursor.slice(kind === 'insert' ? at : at + 1);
        fc.pre(edited !== cursor);

        expect(() => cursors.open(scope, edited)).toThrow(InputError);
      }),
      { numRuns: 2000 },
    );
  });

  test('does not open with any other last character, spare bits or not', () => {
    const cursor = cursors.seal(scope, { page: null, offset: 1 });
    const [text = '', code = ''] = cursor.split('.');
    const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
    const edited = others.flatMap((last) => [
      `${text.slice(0, -1)}${last}.${code}`,
      `${cursor.slice(0, -1)}${last}`,
    ]);

    for (const other of edited.filter((one) => one !== cursor)) {
      expect(() => cursors.open(scope, other)).toThrow(InputError);
    }
  });

  test.each([[''], ['.'], ['..'], ['MQ=='], ['null'], ['\ud800'], ['a'.repeat(100_000)]])(
    'is not %j',
    (text) => {
      expect(() => cursors.open(scope, text)).toThrow(/^`after` is not a cursor of this list/);
    },
  );

  test('does not open for another list', () => {
    const cursor = cursors.seal(scope, { page: null, offset: 1 });

    expect(() => cursors.open(scopeOf('company', 'items'), cursor)).toThrow(InputError);
  });
});

describe('when secrets rotate', () => {
  const position = { page: '$skiptoken=abc', offset: 3 };
  const before = createCursors(['an old secret....']);
  const after = createCursors(['a new secret....', 'an old secret....']);

  test('cursors of the old secret still open', () => {
    expect(after.open(scope, before.seal(scope, position))).toEqual(position);
  });

  test('the first secret seals', () => {
    expect(createCursors(['a new secret....']).open(scope, after.seal(scope, position))).toEqual(position);
  });

  test('cursors of a secret that is gone do not open', () => {
    const gone = createCursors(['a secret that is gone']).seal(scope, position);

    expect(() => after.open(scope, gone)).toThrow(InputError);
  });
});

describe('the name of a list', () => {
  test('is the same for the same parts', () => {
    expect(scopeOf('a', { b: [1] })).toBe(scopeOf('a', { b: [1] }));
  });

  test.each([
    [['a', 'b'], ['ab']],
    [['a', null], ['a']],
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    [['1'], [1]],
  ])('differs for %j and %j', (one, other) => {
    expect(scopeOf(...one)).not.toBe(scopeOf(...other));
  });
});
