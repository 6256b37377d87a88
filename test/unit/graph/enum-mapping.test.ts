import { describe, expect, test } from 'vitest';
import { parseEnumValue } from '../../../src/graph/enum-mapping.ts';

const blocked = { names: { ' ': 'NOT_BLOCKED', Ship: 'SHIP' } };

describe('a choice', () => {
  test.each([
    [' ', 'NOT_BLOCKED'],
    ['Ship', 'SHIP'],
    ['SHIP', 'UNRECOGNIZED'],
    ['Later', 'UNRECOGNIZED'],
    ['UNRECOGNIZED', 'UNRECOGNIZED'],
    ['constructor', 'UNRECOGNIZED'],
    ['__proto__', 'UNRECOGNIZED'],
    ['', null],
    [null, null],
    [undefined, null],
    [0, null],
    [true, null],
    [['Ship'], null],
  ])('of the word %j is %s', (word, name) => {
    expect(parseEnumValue(blocked, word)).toBe(name);
  });
});
