import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedaction, removeToken } from '../../../../src/http/redaction/redaction.ts';

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

  test.each([1, 2, 3])('loses a token in Base64 that begins %s characters into a group', (skipped) => {
    const token = 'a-token-of-some-thirty-characters';
    const encoded = Buffer.from(token).toString('base64').slice(skipped);

    expect(createRedactor('https://bc.example', token)(encoded, 'message')).not.toContain(
      encoded.slice(0, 20),
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

test.each([
  ['a JWT', `eyJ${'hbGciOiJub25lIn0'.repeat(9)}`, '5f1d7a30-2c4b-4b53-9c39-0a4a4b2a9c11'],
  ['another GUID', '8c0e9a52-7f43-4d0f-8a2e-6a1df5a1b8b2', '5f1d7a30-2c4b-4b53-9c39-0a4a4b2a9c11'],
  ['the same GUID', '5f1d7a30-2c4b-4b53-9c39-0a4a4b2a9c11', '[token]'],
  ['the same GUID in capitals', '5F1D7A30-2C4B-4B53-9C39-0A4A4B2A9C11', '[token]'],
  ['its digits', '5f1d7a302c4b4b539c390a4a4b2a9c11', '[token]'],
])('of a GUID, with a token that is %s, only fragments of the token are removed', (_token, token, shown) => {
  const guid = '5f1d7a30-2c4b-4b53-9c39-0a4a4b2a9c11';

  expect(createRedaction('https://bc.example', [])(token)(guid, 'requestId')).toBe(shown);
  // A secret of ours is looked for in any case.
  expect(createRedaction('https://bc.example', [guid])(`eyJ${'a'.repeat(90)}`)(guid, 'requestId')).toBe(
    '[token]',
  );
});

const alphabets = {
  'letters and digits': [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'],
  'what a header can hold': Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)),
};
const randomToken = (alphabet: readonly string[], least: number, most: number) =>
  fc
    .array(fc.constantFrom(...alphabet), { minLength: least, maxLength: most })
    .map((all) => all.join(''))
    .filter((token) => lettersOf(token).length >= 20);
const lettersOf = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
const jsonEscape = (text: string) =>
  [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const wrap = (text: string, columns: number, by: string) =>
  text.replace(new RegExp(`[^]{${columns}}(?=[^])`, 'g'), `$&${by}`);

const cutBehind = (token: string, at: number) => {
  let length = Math.min(at, token.length);
  while (lettersOf(token.slice(0, length)).length < 14) length += 1;
  return token.slice(0, length);
};

/** How an upstream may quote a token, and what of the quotation must not be left. */
const forms: Readonly<Record<string, (token: string, at: number) => string>> = {
  'as it is': (token) => token,
  'in upper case': (token) => token.toUpperCase(),
  'in lower case': (token) => token.toLowerCase(),
  'cut behind': (token, at) => cutBehind(token, at),
  'cut before': (token, at) => [...cutBehind([...token].reverse().join(''), at)].reverse().join(''),
  'in an address': encodeURIComponent,
  'with every character escaped for an address': (token) =>
    [...Buffer.from(token)].map((byte) => `%${byte.toString(16)}`).join(''),
  'in JSON': (token) => JSON.stringify(token),
  'in JSON, every character escaped': jsonEscape,
  'in Base64': (token) => Buffer.from(token).toString('base64'),
  'in Base64 for addresses': (token) => Buffer.from(token).toString('base64url'),
  'in Base64 behind something': (token, at) =>
    Buffer.from(`${'u'.repeat(at % 3)}${token}`).toString('base64'),
  'in wrapped Base64': (token, at) => wrap(Buffer.from(token).toString('base64'), 32 + (at % 45), '\r\n '),
  'over lines of any length': (token, at) => wrap(token, 1 + (at % 76), '\n'),
  'over lines as JSON in JSON has them': (token, at) => wrap(token, 4 + (at % 73), '\\n'),
  'in lines of HTML': (token, at) => wrap(token, 16 + (at % 60), '<br>'),
};

/** Whatever of a token is left in a text, in any of the forms that a text is searched for here. */
function remainderOf(text: string, token: string): string | null {
  const seen = [text, decodedOf(text), ...(text.match(/[\w+/-]{16,}/g) ?? []).flatMap(fromBase64)].map(
    lettersOf,
  );
  const letters = lettersOf(token);
  for (let at = 0; at + 14 <= letters.length; at++) {
    const part = letters.slice(at, at + 14);
    if (seen.some((each) => each.includes(part))) return part;
  }
  return null;
}
const fromBase64 = (run: string) =>
  [0, 1, 2, 3].map((skipped) => Buffer.from(run.slice(skipped), 'base64').toString('latin1'));
const decodedOf = (text: string) =>
  text
    .replace(/\\u([0-9a-f]{4})|%([0-9a-f]{2})/gi, (_all, json, address) =>
      String.fromCharCode(Number.parseInt(json ?? address, 16)),
    )
    .replace(/\\[nrt]|<br>/g, '');

describe('a random token', () => {
  test.for(
    Object.entries(forms).flatMap(([form, quote]) =>
      Object.entries(alphabets).map(([of, alphabet]) => [form, of, quote, alphabet] as const),
    ),
  )('that is quoted %s is removed, with letters of %s', ([, , quote, alphabet]) => {
    const texts = fc.string({ maxLength: 40 });
    fc.assert(
      fc.property(randomToken(alphabet, 24, 300), texts, texts, fc.nat(300), (token, before, after, at) => {
        const quoted = `${before} ${quote(token, at)} ${after}`;
        const shown = createRedactor('https://bc.example', token)(quoted, 'message');
        expect(remainderOf(shown, token)).toBeNull();
        expect(shown).toContain('[token]');
        // Codes, too, though programs decide by them.
        expect(remainderOf(createRedactor('https://bc.example', token)(quoted, 'code'), token)).toBeNull();
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['behind', 'eAH\\x20!XZd0!si!Zgx!!!!PD!3Wj', 'eAH\\x20!XZd0!si!Zg'],
    ['before', 'Ri!WH9vM\\XeAFl!Y!mpBo!ET!4', 'M\\XeAFl!Y!mpBo!ET!4'],
  ])('that contains what looks like an escape, and is cut %s, is removed', (_where, token, quoted) => {
    expect(createRedactor('https://bc.example', token)(quoted, 'message')).toBe('[token]');
    expect(createRedactor('https://bc.example', token)(btoa(quoted), 'message')).toBe('[token]');
  });

  test('leaves the words of an error unchanged', () => {
    const words = `The field "keyJournalEntries.lines.amount" of companies(5291cc7c-dbf2-49f8-a006-b9af44599f16)/salesOrders
      must be set: Internal_EntityWithSameKeyExists (correlation id 0e0f0986-928f-40d7-8834-d1910255a423, W/"JzQ0O3h4eHg7MSc=").`;
    fc.assert(
      fc.property(randomToken(alphabets['letters and digits'], 24, 3_000), (token) => {
        const redact = createRedactor('https://bc.example', token);
        expect([redact(words, 'message'), redact(words, 'code')]).toEqual([words, words]);
      }),
      { numRuns: 200 },
    );
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
    [`${wrap(jwt, 40, '\n')} ended`, '[token] ended'],
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

test('text beyond 2 Mi characters per response is dropped', () => {
  const redact = createRedactor('https://bc.example', 'a-long-token');
  expect(redact('x'.repeat(2_000_000), 'message')).toHaveLength(2_000_000);
  expect(redact('x'.repeat(100_000), 'message')).toBe('');
});

test('a text that is repeated is redacted each time, and a code less', () => {
  const redact = createRedactor('https://bc.example', 'a-long-token');
  const texts = ['at bc.example', 'at bc.example', 'a-long-token', 'a-long-token'];
  expect(texts.map((text) => redact(text, 'name'))).toEqual([
    'at [upstream]',
    'at [upstream]',
    '[token]',
    '[token]',
  ]);
  expect(redact('at bc.example', 'code')).toBe('at bc.example');
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
