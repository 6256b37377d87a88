import { expect, test } from 'vitest';
import { cutText } from '../../../src/runtime/text.ts';

test.each([
  ['ab😀c', 3, 'ab'],
  ['ab😀c', 4, 'ab😀'],
  ['ab😀', 4, 'ab😀'],
  ['abc', 2, 'ab'],
  ['', 2, ''],
])('%j cut at %i is %j', (text, max, expected) => {
  expect(cutText(text, max)).toBe(expected);
});
