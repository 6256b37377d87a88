import { describe, expect, test } from 'vitest';
import { discretion } from '../../../src/upstream/discretion.ts';

describe("an upstream's own text", () => {
  const discreet = discretion('https://bc.internal.example:7048/base', 'a-long-token');

  test.each([
    ['at https://bc.internal.example:7048/x', 'at https://[upstream]/x'],
    ['at BC.Internal.Example, port 7048', 'at [upstream], port 7048'],
    ['bc-internal-example', 'bc-internal-example'],
    ['Bearer a-long-token is not known', 'Bearer [token] is not known'],
  ])('%s is shown as %s', (text, shown) => {
    expect(discreet(text, 'message')).toBe(shown);
  });

  test('has a short token hidden where it is a word, and nowhere inside of one', () => {
    expect(discretion('https://bc.example', 'me')('The customer of me, (me).', 'message')).toBe(
      'The customer of [token], ([token]).',
    );
  });

  test('has a token hidden whatever characters it holds', () => {
    expect(discretion('https://bc.example', 'a.b+c/d=$')('xa.b+c/d=$y a.b+c/d', 'message')).toBe(
      'x[token]y a.b+c/d',
    );
  });

  test.each([
    ['https://status', 'me', 'status of me', 'status of me'],
    ['https://bc.example', 'a-long-token', 'not a-long-token', 'not [token]'],
  ])('is a code at %s for %s: only what is no word is hidden in it', (url, token, code, shown) => {
    expect(discretion(url, token)(code, 'code')).toBe(shown);
  });
});
