import { LosslessNumber } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { compareValues, parseExactJson, parseNumber, stringifyExactJson } from '../../../sandbox/json.ts';

describe('numbers keep their digits from one text to another', () => {
  test.each([
    '{"a":1234567890123456.789}',
    '[12345678901234567890]',
    '{"a":"1234567890123456.789","b":-0.1}',
    '{"a":"\\"isLosslessNumber\\":true","b":2}',
    '[1e400]',
  ])('%s', (text) => {
    expect(stringifyExactJson(parseExactJson(text))).toBe(text);
  });
});

test('a number that a double holds is one', () => {
  expect(parseNumber('1500.50')).toBe(1500.5);
  expect(parseNumber('9007199254740993')).toEqual(new LosslessNumber('9007199254740993'));
  expect(parseExactJson('{"a":123456789012345}')).toEqual({ a: 123_456_789_012_345 });
});

test('a name that stands twice is the last one, whatever its number', () => {
  expect(parseExactJson('{"a":1234567890123456789,"a":2}')).toEqual({ a: 2 });
});

describe('numbers compare by every digit', () => {
  const ascending = [
    '-1e400',
    '-12345678901234567.9',
    '-0.00000000000000000001',
    '0.00000000000000000001',
    '1',
    '1.00000000000000000001',
    '10',
    '12345678901234567.9',
    '1e400',
  ].map(parseNumber);

  test('in their order', () => {
    expect([...ascending].reverse().sort(compareValues)).toEqual(ascending);
  });

  test.each([
    ['1234567890123456.789', '1234567890123456.7890'],
    ['12345678901234567000', '12345678901234567e3'],
    ['0', '0.00000000000000000000000'],
  ])('%s is %s', (left, right) => {
    expect(compareValues(parseNumber(left), new LosslessNumber(right))).toBe(0);
  });
});
