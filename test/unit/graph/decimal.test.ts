import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDecimal } from '../../../src/graph/decimal.ts';

describe('a decimal as text', () => {
  test.each([
    [0, '0'],
    [-0, '0'],
    [0.1, '0.1'],
    [1e21, '1000000000000000000000'],
    [1e-7, '0.0000001'],
    ['-0', '-0'],
    ['4000.50', '4000.50'],
    ['007', '7'],
    ['00.5', '0.5'],
    ['1e1', '10'],
    ['1E+3', '1000'],
    ['1.25e2', '125'],
    ['-12.5e-2', '-0.125'],
    ['0.05e2', '5'],
    ['0e5', '0'],
    ['12345678901234567890.0123456789', '12345678901234567890.0123456789'],
  ])('of %j is %s', (value, text) => {
    expect(formatDecimal(value)).toBe(text);
  });

  test.each([
    ['-98765432109876543210.5', '-98765432109876543210.5'],
    ['1.2345678901234567890e5', '123456.78901234567890'],
  ])('of the long number %s keeps every digit', (digits, text) => {
    expect(formatDecimal(digits)).toBe(text);
  });

  test.each([
    [''],
    ['1\n'],
    ['+1'],
    ['.5'],
    ['5.'],
    ['1,5'],
    ['--1'],
    ['1e'],
    ['1e9999'],
    ['٣'],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [null],
    [['1']],
  ])('does not exist for %j', (value) => {
    expect(formatDecimal(value)).toBeNull();
  });

  test('is refused at once for a long text that is almost a number', () => {
    // Read once, this takes milliseconds; read once for every zero, longer than a test may take.
    expect(formatDecimal(`${'0'.repeat(100_000)}x`)).toBeNull();
  });
});

const digits = (minLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength: 40 });

const decimals = fc.record({
  sign: fc.constantFrom('', '-'),
  whole: digits(1),
  fraction: digits(0),
  exponent: fc.option(fc.integer({ min: -60, max: 60 })),
});

describe('whatever the digits, the text', () => {
  test('is the same number, to the last digit', () => {
    fc.assert(
      fc.property(decimals, ({ sign, whole, fraction, exponent }) => {
        const given = `${sign}${whole}${fraction && '.'}${fraction}${exponent === null ? '' : `e${exponent}`}`;
        const text = formatDecimal(given) as string;

        // Both as whole numbers of units of 10^-200.
        const wanted = BigInt(`${whole}${fraction}`) * 10n ** BigInt(200 - fraction.length + (exponent ?? 0));
        const [before = '', after = ''] = text.replace('-', '').split('.');
        expect(BigInt(before + after) * 10n ** BigInt(200 - after.length)).toBe(wanted);
        expect(text.startsWith('-')).toBe(sign === '-');
      }),
    );
  });

  test('has no exponent, no leading zero and no bare point, and is its own text', () => {
    fc.assert(
      fc.property(decimals, ({ sign, whole, fraction, exponent }) => {
        const given = `${sign}${whole}${fraction && '.'}${fraction}${exponent === null ? '' : `E${exponent}`}`;
        const text = formatDecimal(given);

        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/);
        expect(formatDecimal(text)).toBe(text);
      }),
    );
  });

  test('of a double reads back as that double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(Number(formatDecimal(number))).toBe(number === 0 ? 0 : number);
      }),
    );
  });
});
