import { type GraphQLError, type GraphQLScalarType, parseValue } from 'graphql';
import { describe, expect, test } from 'vitest';
import { parseDateTime } from '../../../src/graph/date-time.ts';
import { scalars } from '../../../src/graph/scalars.ts';

const literal = (scalar: GraphQLScalarType, source: string) => scalar.parseLiteral(parseValue(source));

function errorOf(act: () => unknown): GraphQLError {
  try {
    act();
  } catch (error) {
    return error as GraphQLError;
  }
  throw new Error('the value was accepted');
}

describe('a UUID', () => {
  const { UUID } = scalars;
  const upper = 'A1B2C3D4-E5F6-4788-9900-AABBCCDDEEFF';
  const lower = upper.toLowerCase();

  test('comes out lower case, from a variable and from a literal', () => {
    expect(UUID.parseValue(upper)).toBe(lower);
    expect(literal(UUID, `"${upper}"`)).toBe(lower);
    expect(UUID.parseValue(lower)).toBe(lower);
  });

  test.each([[`{${lower}}`], [`${lower}\n`], ['00000000-0000-0000-0000-000000000000'], [null], [[lower]]])(
    'is not %j',
    (value) => {
      const error = errorOf(() => UUID.parseValue(value));

      expect(error.message).toContain(JSON.stringify(value));
      expect(error.extensions).toEqual({ code: 'BAD_USER_INPUT' });
    },
  );
});

describe('a DateTime', () => {
  const { DateTime } = scalars;

  test.each([['2026-03-01T09:30:00Z'], ['2026-03-01T09:30:00.1234567Z'], ['2028-02-29T23:59:59.999Z']])(
    'passes %s unchanged, in and out',
    (text) => {
      expect(DateTime.parseValue(text)).toBe(text);
      expect(literal(DateTime, `"${text}"`)).toBe(text);
      expect(DateTime.serialize(text)).toBe(text);
    },
  );

  test('with an offset is taken in UTC', () => {
    expect(DateTime.parseValue('2026-03-01T00:30:00.1230+01:00')).toBe('2026-02-28T23:30:00.1230Z');
  });

  test.each([['2026-03-01T09:30:00'], ['2026-02-29T00:00:00Z'], [null]])('is not %j', (value) => {
    const error = errorOf(() => DateTime.parseValue(value));

    expect(error.message).toContain(JSON.stringify(value));
    expect(error.extensions).toEqual({ code: 'BAD_USER_INPUT' });
  });
});

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

describe('a Date', () => {
  const { Date: CalendarDate } = scalars;

  test.each([['2026-02-30'], ['2026-2-3'], ['2026-03-01T00:00:00Z'], ['01.03.2026'], [''], [20260301]])(
    'is not %j',
    (value) => {
      expect(errorOf(() => CalendarDate.parseValue(value)).message).toContain(String(value));
    },
  );
});

describe('a Decimal', () => {
  const { Decimal } = scalars;

  test.each([
    ['12345678901234567890.123', '12345678901234567890.123'],
    ['+007.10', '7.10'],
    ['1.2345678901234567890e3', '1234.5678901234567890'],
    [0.1, '0.1'],
  ])('takes %j from a variable as %s', (value, text) => {
    expect(Decimal.parseValue(value)).toBe(text);
  });

  test.each([
    ['"4000.50"', '4000.50'],
    ['4000.50', '4000.50'],
    ['1e-3', '0.001'],
    ['12345678901234567890', '12345678901234567890'],
  ])('takes the literal %s with all its digits', (source, text) => {
    expect(literal(Decimal, source)).toBe(text);
  });

  test.each([['four'], ['1,5'], ['1e3'], ['+'], ['.'], [''], [null], [{}], [Number.POSITIVE_INFINITY]])(
    'is not %j',
    (value) => {
      const error = errorOf(() => Decimal.parseValue(value));

      expect(error.message).toContain(JSON.stringify(value));
      expect(error.extensions).toEqual({ code: 'BAD_USER_INPUT' });
    },
  );

  test.each([['true'], ['"1,5"'], ['null'], ['[1]']])('is not the literal %s', (source) => {
    expect(errorOf(() => literal(Decimal, source)).extensions).toEqual({ code: 'BAD_USER_INPUT' });
  });
});

describe('a SafeInt', () => {
  const { SafeInt } = scalars;

  test.each([[0], [-5], [Number.MAX_SAFE_INTEGER], [Number.MIN_SAFE_INTEGER]])('takes %d', (value) => {
    expect(SafeInt.parseValue(value)).toBe(value);
    expect(literal(SafeInt, String(value))).toBe(value);
    expect(SafeInt.serialize(value)).toBe(value);
  });

  test.each([[1.5], ['abc'], ['5'], ['1.00000000000000000001'], [true], [Number.NaN]])(
    'is not %j',
    (value) => {
      expect(() => SafeInt.parseValue(value)).toThrow(/^SafeInt: .* is not a whole number\.$/);
    },
  );

  test.each([[2 ** 53], [-(2 ** 53)], [1e300], ['9007199254740993'], ['-12345678901234567890']])(
    'is not %j, which is said to be too long',
    (value) => {
      const message = /^SafeInt: .* is not between -9007199254740991 and 9007199254740991, .*\.$/;
      expect(() => SafeInt.parseValue(value)).toThrow(message);
      expect(() => literal(SafeInt, String(value))).toThrow(message);
    },
  );
});
