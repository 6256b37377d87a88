import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutRows } from '../../../src/upstream/cut-rows.ts';

const cut = (text: string, from: number, to: number) => JSON.parse(cutRows(text, { from, to }));
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
  ])('from %i to %i shows what is outside as empty, and that there is more', (from, to, value) => {
    expect(cut(collection([1, 2, 3]), from, to)).toEqual({
      '@odata.count': 7,
      value,
      '@odata.nextLink': 'next',
    });
  });

  test('is itself where the range lies behind its end, and where it is empty', () => {
    expect(cut(collection([1, 2]), 2, 5).value).toEqual([1, 2]);
    expect(cut(collection([]), 0, 5).value).toEqual([]);
    expect(cut('{"value": [ ]}', 0, 5).value).toEqual([]);
  });

  test('keeps every row within the range as it was, whatever the rows are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.nat(12),
        fc.nat(12),
        fc.nat(4),
        (rows, from, length, indent) => {
          const text = JSON.stringify({ value: rows, after: '"value":[' }, null, indent);
          const plain = JSON.parse(text).value;
          const to = from + length + 1;

          const { value, after } = cut(text, from, to);

          expect(after).toBe('"value":[');
          expect(value.slice(from, to)).toEqual(plain.slice(from, to));
          expect(value.length > to).toBe(plain.length > to);
        },
      ),
    );
  });

  test.each([
    ['["no collection"]'],
    ['{"value":{"a":[1,2,3]}}'],
    ['{"value":"[1,2,3]"}'],
    ['{"value":[1,2'],
    ['{"value":[{"a":"'],
    ['{"value":["\\'],
    [''],
  ])('that it is not, %s, comes back as it is', (text) => {
    expect(cutRows(text, { from: 0, to: 1 })).toBe(text);
  });

  test('does not end at what stands inside a string', () => {
    const rows = ['],{', '\\', '"', '\\"', '"]}', '\\\\'];

    expect(cut(collection(rows), 1, 5).value).toEqual([{}, '\\', '"', '\\"', '"]}', {}]);
  });
});
