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
    ['1e1', '10'],
    ['-12.5e-2', '-0.125'],
    ['0.05e2', '5'],
    ['12345678901234567890.0123456789', '12345678901234567890.0123456789'],
  ])('of %j is %s', (value, text) => {
    expect(formatDecimal(value)).toBe(text);
  });

  test.each([[''], ['1\n'], ['+1'], ['1,5'], ['1e'], ['1e9999'], ['٣'], [Number.NaN], [null]])(
    'does not exist for %j',
    (value) => {
      expect(formatDecimal(value)).toBeNull();
    },
  );
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
});
