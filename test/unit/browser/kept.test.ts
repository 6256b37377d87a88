import fc from 'fast-check';
import { expect, test } from 'vitest';
import { added, ownerOf, readList } from '../../../browser/console/kept.js';

const place = {
  subscriptionId: 's',
  resourceGroupName: 'g',
  virtualInstanceName: 'v',
  applicationInstanceName: 'a',
};
const started = { id: 'one', action: 'stop' as const, place, since: 5 };
const pasted = { id: 'one', action: null, place: null, since: 9 };
const other = { ...pasted, id: 'other' };

test('the newest stands first, and thirty are kept', () => {
  expect(added([started], other)).toEqual([other, started]);

  const many = Array.from({ length: 30 }, (_, at) => ({ ...pasted, id: String(at) }));
  expect(added(many, other)).toEqual([other, ...many.slice(0, 29)]);
});

test('what is there already stays where it is, and what is known of it is not forgotten', () => {
  expect(added([other, started], pasted)).toEqual([other, started]);
  expect(added([other, pasted], { ...started, since: 10 })).toEqual([other, { ...started, since: 9 }]);
});

test('a list is read as it was written down, and whatever else stands there is none', () => {
  expect(readList(JSON.stringify([started, other]))).toEqual([started, other]);
  expect(readList(null)).toEqual([]);
  expect(readList('{')).toEqual([]);
  expect(
    readList(JSON.stringify([null, 7, { id: 7 }, { id: 'one', action: 'erase', place: { a: 1 } }])),
  ).toEqual([{ id: 'one', action: null, place: null, since: 0 }]);
  fc.assert(fc.property(fc.jsonValue(), (value) => void readList(JSON.stringify(value))));
});

const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

test('a list is of who the token says it is of, whenever it was issued, or else of the token', () => {
  const ada = jwt({ iss: 'https://login.example', sub: 'ada ö', exp: 1 });

  expect(ownerOf(ada)).toBe(ownerOf(jwt({ exp: 2, sub: 'ada ö', iss: 'https://login.example' })));
  expect(ownerOf(ada)).not.toBe(ownerOf(jwt({ iss: 'https://login.example', sub: 'guest', exp: 1 })));
  expect(ownerOf(ada)).not.toBe(ownerOf(jwt({ iss: 'https://other.example', sub: 'ada ö', exp: 1 })));
  for (const token of ['opaque', 'a.b.c', jwt({ exp: 1 }), jwt(null), '']) expect(ownerOf(token)).toBe(token);
});
