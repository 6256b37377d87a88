import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRowCutter } from '../../../src/odata/row-cutter.ts';

/** What is left of a text that comes in pieces of the given lengths, over and over. */
function cut(text: string, from: number, to: number, lengths: readonly number[] = [7]): string {
  const bytes = Buffer.from(text);
  const cutter = createRowCutter({ from, to });
  const kept: Uint8Array[] = [];
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const length = lengths[index % lengths.length] as number;
    kept.push(...cutter.add(bytes.subarray(at, at + length)));
    at += length;
  }
  kept.push(...cutter.end());
  return Buffer.concat(kept).toString();
}

const parsed = (...given: Parameters<typeof cut>) => JSON.parse(cut(...given));
const collection = (rows: readonly unknown[]) =>
  JSON.stringify({ '@odata.count': 7, value: rows, '@odata.nextLink': 'next' });

describe('a collection cut to a range of rows', () => {
  test.each([
    [0, 2, [1, 2, {}]],
    [1, 2, [{}, 2, {}]],
    [1, 3, [{}, 2, 3]],
    [2, 9, [{}, {}, 3]],
    [0, 3, [1, 2, 3]],
    [0, 9, [1, 2, 3]],
    [3, 5, [{}, {}, {}]],
    [7, 9, [{}, {}, {}]],
  ])('from %i to %i has other rows empty, and shows that there are more', (from, to, value) => {
    expect(parsed(collection([1, 2, 3]), from, to)).toEqual({
      '@odata.count': 7,
      value,
      '@odata.nextLink': 'next',
    });
  });

  test('stays empty where it was empty', () => {
    expect(parsed(collection([]), 0, 5).value).toEqual([]);
    expect(parsed(collection([]), 2, 5).value).toEqual([]);
    expect(parsed('{"value": [ ]}', 1, 5).value).toEqual([]);
  });

  test('keeps every row of the range, for any rows and chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ stringUnit: 'grapheme' })),
        fc.nat(6),
        fc.nat(6),
        fc.nat(4),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (rows, from, length, indent, lengths) => {
          const text = JSON.stringify({ value: rows, after: '"value":[' }, null, indent);
          const plain = JSON.parse(text).value;
          const to = from + length + 1;

          const { value, after } = parsed(text, from, to, lengths);

          expect(after).toBe('"value":[');
          expect(value.slice(from, to)).toEqual(plain.slice(from, to));
          expect(value.length).toBe(Math.min(plain.length, to + 1));
        },
      ),
    );
  });

  test.each([
    ['["no collection"]'],
    ['{"value":{"a":[1,2,3]}}'],
    ['{"value":"[1,2,3]"}'],
    ['<html>'],
    [''],
    [JSON.stringify({ long: 'x'.repeat(100_000), rest: [1] })],
  ])('leaves other JSON, %.40s, unchanged', (text) => {
    expect(cut(text, 0, 1, [10_000, 3])).toBe(text);
  });

  test.each([['{"value":[1,2'], ['{"value":[{"a":"'], ['{"value":["\\']])(
    'that breaks off, %s, is no JSON afterwards either',
    (text) => {
      expect(() => parsed(text, 0, 5)).toThrow(SyntaxError);
      expect(() => parsed(text, 5, 6)).toThrow(SyntaxError);
    },
  );

  test('ignores brackets inside strings', () => {
    const rows = ['],{', '\\', '"', '\\"', '"]}', '\\\\'];

    expect(parsed(collection(rows), 1, 5).value).toEqual([{}, '\\', '"', '\\"', '"]}', {}]);
  });
});
