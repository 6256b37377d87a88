import { describe, expect, test } from 'vitest';
import { readRetryAfter } from '../../../../src/http/response.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const date = 'Sun, 01 Mar 2026 12:00:00 GMT';
const minuteLater = 'Sun, 01 Mar 2026 12:01:00 GMT';

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['3.0', 3],
    ['1.5', 2],
    [['7', '8'], 8],
    ['9'.repeat(400), 2 ** 31],
  ])('in seconds, %s, is read as that number', (value, seconds) => {
    expect(readRetryAfter({ 'retry-after': value }, now)).toBe(seconds);
  });

  test.each([
    ["the answer's own date", { date }, 60],
    ['a date of the answer that is not ours', { date: 'Sun, 01 Mar 2026 11:00:00 GMT' }, 3660],
    ['our clock where the answer has no date', {}, 60],
    ['our clock where the date of the answer is none', { date: 'today' }, 60],
  ])('as a date is relative to %s', (_what, headers, seconds) => {
    expect(readRetryAfter({ 'retry-after': minuteLater, ...headers }, now)).toBe(seconds);
  });

  test('of several values is the longest', () => {
    expect(readRetryAfter({ 'retry-after': [date, minuteLater, '30'], date }, now)).toBe(60);
  });

  test.each([['-5'], ['1e9'], ['soon'], ['Sun, 99 Mar 2026 12:01:00 GMT']])('is ignored as %j', (value) => {
    expect(readRetryAfter({ 'retry-after': value, date }, now)).toBeNull();
  });
});
