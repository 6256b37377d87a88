import { describe, expect, test } from 'vitest';
import { parseDateTime } from '../../../src/graph/date-time.ts';

describe('an instant of an upstream', () => {
  test.each([
    ['2026-03-01T09:30:00.1234567Z', '2026-03-01T09:30:00.1234567Z'],
    ['2026-03-01 09:30:00.5Z', '2026-03-01T09:30:00.5Z'],
    ['2026-03-01 09:30:00 Z', '2026-03-01T09:30:00Z'],
    ['2026-03-01T00:30:00.1234567+01:00', '2026-02-28T23:30:00.1234567Z'],
    ['2026-03-01T09:30:00', '2026-03-01T09:30:00Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ])('%s is %s', (value, time) => {
    expect(parseDateTime(value)).toBe(time);
  });

  test.each([['0001-01-01T00:00:00Z'], ['0001-01-01T00:00:00.0000000+02:00'], ['0000-01-01T00:00:00Z']])(
    '%s stands for unset',
    (value) => {
      expect(parseDateTime(value)).toBeNull();
    },
  );

  test.each([
    ['9999-12-31T23:59:59-01:00'],
    ['2026-02-30T00:00:00Z'],
    ['Sun, 01 Mar 2026 09:30:00 GMT'],
    [1_772_357_400_000],
    [null],
  ])('%j is none', (value) => {
    expect(parseDateTime(value)).toBeNull();
  });
});
