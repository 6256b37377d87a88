import { describe, expect, test } from 'vitest';
import { createRedaction, removeToken } from '../../../src/http/redaction.ts';

const createRedactor = (url: string, token: string) => createRedaction(url, [])(token);

describe('a text of the upstream', () => {
  const redact = createRedactor('https://bc.internal.example:7048/base', 'a-long-token');

  test.each([
    ['at https://bc.internal.example:7048/x', 'at https://[upstream]/x'],
    ['at BC.Internal.Example, port 7048', 'at [upstream], port 7048'],
    ['bc-internal-example', 'bc-internal-example'],
    ['Bearer a-long-token is not known', 'Bearer [token] is not known'],
  ])('%s is shown as %s', (text, shown) => {
    expect(redact(text, 'message')).toBe(shown);
  });

  test('loses a short token only where it is a whole word', () => {
    expect(createRedactor('https://bc.example', 'me')('The customer of me, (me).', 'message')).toBe(
      'The customer of [token], ([token]).',
    );
  });

  test('loses a token with any special characters', () => {
    expect(createRedactor('https://bc.example', 'a.b+c/d=$')('xa.b+c/d=$y a.b+c/d', 'message')).toBe(
      'x[token]y a.b+c/d',
    );
  });

  test.each([
    ['https://status', 'me', 'status of me', 'status of me'],
    ['https://bc.example', 'a-long-token', 'not a-long-token', 'not [token]'],
  ])('that is a code, at %s with token %s, loses only what cannot be a word', (url, token, code, shown) => {
    expect(createRedactor(url, token)(code, 'code')).toBe(shown);
  });
});

describe('a bearer token of anybody', () => {
  const redact = createRedactor('https://bc.example', 'another-token-of-another-caller');
  const jwt = 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJlLW9mLWEtdG9rZW4';

  test.each([
    [`at ${jwt}, which ended`, 'at [token], which ended'],
    [`x=${jwt}&y=1`, 'x=[token]&y=1'],
    [`\\n${jwt}\\n`, '\\n[token]\\n'],
    [`not${jwt}`, 'not[token]'],
    [`it began with ${jwt.slice(0, 40)}…`, 'it began with [token]…'],
    ['Authorization: Bearer a1b2c3.', 'Authorization: Bearer [token]'],
    ['"authorization":"BEARER a1b2c3"', '"authorization":"BEARER [token]"'],
    ['of bearer%20a1b2c3 and Bearer: "x~y"', 'of bearer [token] and Bearer [token]"'],
    [
      'eyJ is short, and eyJournalEntriesOfALedger is a name',
      'eyJ is short, and eyJournalEntriesOfALedger is a name',
    ],
  ])('%s is shown as %s', (text, shown) => {
    expect(redact(text, 'message')).toBe(shown);
  });

  test('a secret of the settings is removed like the token', () => {
    const both = createRedaction('https://bc.example', ['s3cret-of-the-settings-7f'])('a-token-of-a-caller');
    expect(both('s3cret-of-the-settings-7f of a-token-of-a-caller', 'message')).toBe('[token] of [token]');
  });
});

test('business data loses only the verbatim token, in names too', () => {
  const token = 'a"quoted\\token-of-12';
  const data = {
    [token]: [`x${token}`, token.toUpperCase(), 'Bearer abc', 1.5, null],
    other: 'eyJhbGciOiJSUzI1NiJ9.e30.x',
  };

  expect(removeToken(data, JSON.stringify(data), token)).toEqual({
    '[token]': ['x[token]', token.toUpperCase(), 'Bearer abc', 1.5, null],
    other: 'eyJhbGciOiJSUzI1NiJ9.e30.x',
  });
  expect(removeToken(data, JSON.stringify(data), 'token-12')).toBe(data);
});
