import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson, toPlainJson } from '../../../src/runtime/json.ts';

describe('a number', () => {
  test.each([['-1234567890123456789'], ['0.1234567890123456789'], ['1.2345678901234567890e5']])(
    'with more digits than a double holds, %s, keeps them all',
    (digits) => {
      for (const text of [`{"a":${digits}}`, `{"a": \n${digits} }`, `{"a":${digits},"b":1}`]) {
        expect(parseJson(text)).toMatchObject({ a: digits });
      }
      expect(parseJson(`[${digits},1]`)).toEqual([digits, 1]);
      expect(parseJson(`[1,${digits}]`)).toEqual([1, digits]);
    },
  );

  test.each([
    ['1e5', 100_000],
    ['-2.5E-3', -0.0025],
    ['9007199254740991e0', 9_007_199_254_740_991],
    ['-5.6808856953241e+72', '-5.6808856953241e+72'],
    ['1e400', '1e400'],
  ])('with an exponent, %s, is %j: past 2^53 a double stands for many whole numbers', (digits, expected) => {
    expect(parseJson(`{"a":${digits}}`)).toEqual({ a: expected });
  });
});

describe('a body', () => {
  const longNumber = /\d[\d.]{15}|\de/i;

  test('with a long number is otherwise parsed as by JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!longNumber.test(text));
        const [long, rest] = parseJson(`[12345678901234567890,${text}]`) as unknown[];

        expect(long).toBe('12345678901234567890');
        expect(JSON.stringify(rest)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });
});

test('a plain value keeps its long numbers as text', () => {
  const value = parseJson('{"a":[1,{"b":12345678901234567890}],"c":null,"d":"x","e":false}');

  expect(toPlainJson(value)).toEqual({ a: [1, { b: '12345678901234567890' }], c: null, d: 'x', e: false });
  expect(toPlainJson(undefined)).toBeNull();
});

test.each([
  [String.raw`"a\ud83d"`, 'a\ufffd'],
  [String.raw`"\ud83d\ud83d\ude00"`, '\ufffd😀'],
  [String.raw`"\\ud83d\\\ud83d"`, '\\ud83d\\\ufffd'],
  [String.raw`{"\ud83d": ["\ud83d"]}`, { '\ufffd': ['\ufffd'] }],
])('half of a surrogate pair is replaced, and nothing else: %s', (text, expected) => {
  expect(parseJson(text)).toEqual(expected);
});
