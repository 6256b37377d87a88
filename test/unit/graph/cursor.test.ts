import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import { type CursorPosition, createCursorCodec, deriveCursorScope } from '../../../src/graph/cursor.ts';

const cursors = createCursorCodec(['the secret of the tests']);
const scope = deriveCursorScope('company', 'customers');

const positions: fc.Arbitrary<CursorPosition> = fc.record({
  page: fc.option(fc.string({ unit: 'binary', maxLength: 200 })),
  offset: fc.nat(),
});

describe('a cursor', () => {
  test('opens to the position it was sealed from', () => {
    fc.assert(
      fc.property(positions, (position) => {
        expect(cursors.decode(scope, cursors.encode(scope, position))).toEqual(position);
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
        const cursor = cursors.encode(scope, position);
        const at = place % (kind === 'insert' ? cursor.length + 1 : cursor.length);
        const edited =
          cursor.slice(0, at) +
          (kind === 'delete' ? '' : character) +
          cursor.slice(kind === 'insert' ? at : at + 1);
        fc.pre(edited !== cursor);

        expect(() => cursors.decode(scope, edited)).toThrow(InputError);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([[''], ['.'], ['..'], ['MQ=='], ['null'], ['\ud800'], ['a'.repeat(100_000)]])(
    'is not %j',
    (text) => {
      expect(() => cursors.decode(scope, text)).toThrow(/^`after` is not a cursor of this list/);
    },
  );

  test('does not open for another list', () => {
    const cursor = cursors.encode(scope, { page: null, offset: 1 });

    expect(() => cursors.decode(deriveCursorScope('company', 'items'), cursor)).toThrow(InputError);
  });
});

describe('when secrets rotate', () => {
  const position = { page: '$skiptoken=abc', offset: 3 };
  const before = createCursorCodec(['an old secret....']);
  const after = createCursorCodec(['a new secret....', 'an old secret....']);

  test('cursors of the old secret still open', () => {
    expect(after.decode(scope, before.encode(scope, position))).toEqual(position);
  });
});

describe('the name of a list', () => {
  test.each([
    [['a', 'b'], ['ab']],
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    [['1'], [1]],
  ])('differs for %j and %j', (one, other) => {
    expect(deriveCursorScope(...one)).not.toBe(deriveCursorScope(...other));
  });
});
