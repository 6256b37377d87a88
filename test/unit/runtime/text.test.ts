import { expect, test } from 'vitest';
import { toUpstreamError } from '../../../src/http/errors.ts';
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

test('the message of an upstream is cut at a whole character', () => {
  const body = { error: { message: `${'a'.repeat(1_023)}😀${'b'.repeat(500)}` } };

  const { detail } = toUpstreamError(
    { upstream: 'business', status: 400, headers: {}, body },
    (text) => text,
  );

  expect(detail?.message).toBe('a'.repeat(1_023));
});
