import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutRows } from '../../../src/upstream/cut-rows.ts';

/** What is left of a text that comes in pieces of the given lengths, over and over. */
async function cut(
  text: string,
  from: number,
  to: number,
  lengths: readonly number[] = [7],
): Promise<string> {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let at = 0, index = 0; at < bytes.length; index++) {
      const length = lengths[index % lengths.length] as number;
      yield bytes.subarray(at, at + length);
      at += length;
    }
  }
  const kept: Uint8Array[] = [];
  for await (const piece of cutRows(pieces(), { from, to })) kept.push(piece);
  return Buffer.concat(kept).toString();
}

const parsed = async (...given: Parameters<typeof cut>) => JSON.parse(await cut(...given));
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
  ])('from %i to %i shows what is outside as empty, and that there is more', async (from, to, value) => {
    expect(await parsed(collection([1, 2, 3]), from, to)).toEqual({
      '@odata.count': 7,
      value,
      '@odata.nextLink': 'next',
    });
  });

  test('has no rows where there were none', async () => {
    expect((await parsed(collection([]), 0, 5)).value).toEqual([]);
    expect((await parsed(collection([]), 2, 5)).value).toEqual([]);
    expect((await parsed('{"value": [ ]}', 1, 5)).value).toEqual([]);
  });

  test('keeps every row within the range, whatever the rows are and however they come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ stringUnit: 'grapheme' })),
        fc.nat(6),
        fc.nat(6),
        fc.nat(4),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        async (rows, from, length, indent, lengths) => {
          const text = JSON.stringify({ value: rows, after: '"value":[' }, null, indent);
          const plain = JSON.parse(text).value;
          const to = from + length + 1;

          const { value, after } = await parsed(text, from, to, lengths);

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
  ])('that it is not, %.40s, stays as it is', async (text) => {
    expect(await cut(text, 0, 1, [10_000, 3])).toBe(text);
  });

  test.each([['{"value":[1,2'], ['{"value":[{"a":"'], ['{"value":["\\']])(
    'that breaks off, %s, is no JSON afterwards either',
    async (text) => {
      await expect(parsed(text, 0, 5)).rejects.toThrow(SyntaxError);
      await expect(parsed(text, 5, 6)).rejects.toThrow(SyntaxError);
    },
  );

  test('does not end at what stands inside a string', async () => {
    const rows = ['],{', '\\', '"', '\\"', '"]}', '\\\\'];

    expect((await parsed(collection(rows), 1, 5)).value).toEqual([{}, '\\', '"', '\\"', '"]}', {}]);
  });
});
