import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addEntry, getOwner, readList } from '../../../browser/console/saved-operations.js';

const place = {
  subscriptionId: 's',
  resourceGroupName: 'g',
  virtualInstanceName: 'v',
  applicationInstanceName: 'a',
};
const started = { id: 'one', action: 'stop' as const, place, since: 5 };
const pasted = { id: 'one', action: null, place: null, since: 9 };
const other = { ...pasted, id: 'other' };

test('addEntry puts the newest first and keeps 30 entries', () => {
  expect(addEntry([started], other)).toEqual([other, started]);

  const many = Array.from({ length: 30 }, (_, at) => ({ ...pasted, id: String(at) }));
  expect(addEntry(many, other)).toEqual([other, ...many.slice(0, 29)]);
});

test('addEntry keeps the position and the details of a known operation', () => {
  expect(addEntry([other, started], pasted)).toEqual([other, started]);
  expect(addEntry([other, pasted], { ...started, since: 10 })).toEqual([other, { ...started, since: 9 }]);
});

test('readList reads a saved list and ignores malformed content', () => {
  expect(readList(JSON.stringify([started, other]))).toEqual([started, other]);
  expect(readList(null)).toEqual([]);
  expect(readList('{')).toEqual([]);
  expect(
    readList(JSON.stringify([null, 7, { id: 7 }, { id: 'one', action: 'erase', place: { a: 1 } }])),
  ).toEqual([{ id: 'one', action: null, place: null, since: 0 }]);
  fc.assert(fc.property(fc.jsonValue(), (value) => void readList(JSON.stringify(value))));
});

const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

test('getOwner returns the issuer and subject of a JWT, or else the token', () => {
  const ada = jwt({ iss: 'https://login.example', sub: 'ada ö', exp: 1 });

  expect(getOwner(ada)).toBe(getOwner(jwt({ exp: 2, sub: 'ada ö', iss: 'https://login.example' })));
  expect(getOwner(ada)).not.toBe(getOwner(jwt({ iss: 'https://login.example', sub: 'guest', exp: 1 })));
  expect(getOwner(ada)).not.toBe(getOwner(jwt({ iss: 'https://other.example', sub: 'ada ö', exp: 1 })));
  for (const token of ['opaque', 'a.b.c', jwt({ exp: 1 }), jwt(null), ''])
    expect(getOwner(token)).toBe(token);
});
