import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatKeyPredicate,
  idOfReference,
  idOfRow,
  type KeyColumn,
  type KeyKind,
  keyConditions,
  parseId,
  requireId,
} from '../../../src/business/record-key.ts';

const valuesOfKind: Readonly<Record<KeyKind, fc.Arbitrary<string | number | boolean>>> = {
  uuid: fc.uuid(),
  text: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => text.length <= 250),
    fc.string({ unit: fc.constantFrom("'", ',', '=', '(', ')', '/', '%', 'A'), maxLength: 20 }),
  ),
  int: fc.integer(),
  safeInt: fc.maxSafeInteger(),
  decimal: fc.integer().map((thousandths) => thousandths / 1_000),
  date: fc
    .date({ noInvalidDate: true, min: new Date('1900-01-01'), max: new Date('2900-01-01') })
    .map((date) => date.toISOString().slice(0, 10)),
  boolean: fc.boolean(),
};

const kinds = Object.keys(valuesOfKind) as KeyKind[];
const keyAndRow = fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 4 }).chain((chosen) =>
  fc.tuple(...chosen.map((kind) => valuesOfKind[kind])).map((values) => ({
    key: chosen.map((kind, at): KeyColumn => ({ column: `K${at}`, kind })),
    row: Object.fromEntries(values.map((value, at) => [`K${at}`, value])),
  })),
);

describe('the id of a row', () => {
  test('is parsed again, whatever the values of its key are', () => {
    fc.assert(
      fc.property(keyAndRow, ({ key, row }) => {
        const id = idOfRow(key, row);
        expect(id).not.toBeNull();
        const values = parseId(key, id ?? '');
        expect(values).toHaveLength(key.length);
        expect(idOfRow(key, Object.fromEntries(key.map(({ column }, at) => [column, values?.[at]])))).toBe(
          id,
        );
      }),
      { numRuns: 500 },
    );
  });

  test('is one segment of an address, and one condition for each column', () => {
    fc.assert(
      fc.property(keyAndRow, ({ key, row }) => {
        const id = idOfRow(key, row) ?? '';
        const predicate = formatKeyPredicate(key, id);
        expect(predicate).toMatch(/^\([^/?#\s&+\\]*\)$/);
        expect(new URL(`http://host/a${predicate}/b`).pathname).toBe(`/a${predicate}/b`);
        expect(keyConditions(key, id)).toHaveLength(key.length);
        for (const condition of keyConditions(key, id)) {
          const [, literal = ''] = /^K\d eq (.*)$/s.exec(condition) ?? [];
          // Outside of its quotes, a literal has no blank and no parenthesis.
          expect(literal.replace(/'(?:[^']|'')*'/gs, '')).toMatch(/^[\w.-]*$/);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('is null where a column is missing or of another kind', () => {
    const key = [{ column: 'A', kind: 'int' }] as const;

    for (const value of [undefined, null, {}, [1], 1.5, 'x', '', 2 ** 31, '1 or 1 eq 1'])
      expect(idOfRow(key, { A: value })).toBeNull();
  });
});

test('any other text is refused: each record has one id', () => {
  fc.assert(
    fc.property(keyAndRow, fc.string({ unit: 'binary', maxLength: 60 }), ({ key, row }, text) => {
      const values = parseId(key, text);
      if (values === null)
        expect(() => requireId({ type: 'T', key }, text)).toThrow('is not the `id` of a T');
      else
        expect(idOfRow(key, Object.fromEntries(key.map(({ column }, at) => [column, values[at]])))).toBe(
          text,
        );
      expect(row).toBeDefined();
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['uuid', '5D115C9C-44E3-EA11-BB43-000D3A2FECA1', '5d115c9c-44e3-ea11-bb43-000d3a2feca1'],
  ['int', 7, '7'],
  ['int', -7, '-7'],
  ['int', '007', '7'],
  ['int', -0, '0'],
  ['safeInt', 9_007_199_254_740_991, '9007199254740991'],
  ['safeInt', '9007199254740993', null],
  ['decimal', '1.500', '1.5'],
  ['decimal', '-0.0', '0'],
  ['decimal', 1e21, '1000000000000000000000'],
  ['date', '2026-02-30', null],
  ['boolean', true, 'true'],
  ['boolean', 'True', null],
  ['text', 'x'.repeat(251), null],
  ['text', '\ud800', null],
  ['text', '', ''],
] as const)('a %s that the upstream writes as %j is the id %j', (kind, value, id) => {
  expect(idOfReference({ key: [{ column: 'A', kind }] }, value)).toBe(id);
});
