import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeWord, getDialect, withPlainWords } from '../../../src/business/record-sets/dialect.ts';

const document = getDialect('document');
const dynamics = getDialect('dynamics');

describe('a word of the real service', () => {
  test.each([
    ['In Review', 'In_x0020_Review'],
    [' ', '_x0020_'],
    ['Non-Inventory', 'Non_x002D_Inventory'],
    ['Draft', 'Draft'],
    ['Blå', 'Blå'],
    ['😀', '_x0001F600_'],
    ['\u{10FFFF}', '_x0010FFFF_'],
    ['\uD83D', '_xD83D_'],
    ['1st Class', '_x0031_st_x0020_Class'],
    ['7:+', '_x0037__x003A__x002B_'],
    ['.5', '_x002E_5'],
    ['A1.5', 'A1.5'],
    ['a_x0020_b', 'a_x005F_x0020_b'],
    ['', ''],
  ])('%j is written %j, and read back', (word, name) => {
    expect(dynamics.encodeWord(word)).toBe(name);
    expect(decodeWord(name)).toBe(word);
  });

  test('has nothing in it that a quoted literal or an address would need encoded', () => {
    fc.assert(
      fc.property(fc.string(), (word) => {
        expect(dynamics.encodeWord(word)).toMatch(/^[\p{L}\p{N}_.]*$/u);
      }),
    );
  });

  test('is read back whatever it was, also if it looks like a name already', () => {
    const likeNames = fc.string({
      unit: fc.constantFrom('_', 'x', '0020', '005F', '0001', '1', '.', ' ', '-', '😀', '\uD83D', '\uDE00'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), likeNames), (word) => {
        expect(decodeWord(dynamics.encodeWord(word))).toBe(word);
      }),
    );
  });

  test.each(['In Review', 'a_b', '_x', '_x00_', '_x00zz_', '_X0020_', 'x0020', '_x00110000_'])(
    'that is not a name, %j, is read as it came',
    (word) => {
      expect(decodeWord(word)).toBe(word);
    },
  );
});

describe('the dialects', () => {
  test('write words plain where they are told to, and keep the rest', () => {
    expect(document.encodeWord('In Review')).toBe('In Review');
    expect(withPlainWords(dynamics).encodeWord('In Review')).toBe('In Review');
    expect(withPlainWords(dynamics)).toMatchObject({ name: 'dynamics', supportsOrAcrossFields: false });
  });
});
