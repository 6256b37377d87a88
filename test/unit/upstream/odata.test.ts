import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { etagOf, queryString, quote, readCollection, readEntity } from '../../../src/upstream/odata.ts';

describe('a literal', () => {
  test.each([
    ['', "''"],
    ['Ada', "'Ada'"],
    ["O'Hara", "'O''Hara'"],
    ["''", "''''''"],
    ["' or 1 eq 1 or '", "''' or 1 eq 1 or '''"],
  ])('of %j is %s', (text, literal) => {
    expect(quote(text)).toBe(literal);
  });

  test('ends at its last quote and nowhere before, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("'", 'a', ' ', '\\', ')') }), (text) => {
        const literal = quote(text);

        expect(literal.slice(1, -1).replaceAll("''", '')).not.toContain("'");
        expect(literal.slice(1, -1).replaceAll("''", "'")).toBe(text);
      }),
    );
  });
});

describe('a query string', () => {
  test('keeps what OData itself uses readable', () => {
    expect(queryString({ $expand: "lines($select=id,no;$filter=a eq 'x:y/z')" })).toBe(
      "?$expand=lines($select=id,no;$filter=a%20eq%20'x:y/z')",
    );
  });

  test.each([
    [' ', '%20'],
    ['&', '%26'],
    ['#', '%23'],
    ['+', '%2B'],
    ['%', '%25'],
    ['%24', '%2524'],
    ['?', '%3F'],
    ['"', '%22'],
    ['\\', '%5C'],
    ['\r\n', '%0D%0A'],
    ['ö', '%C3%B6'],
    ['📬', '%F0%9F%93%AC'],
  ])('writes %j as %s', (text, encoded) => {
    expect(queryString({ $filter: text })).toBe(`?$filter=${encoded}`);
  });

  test('holds every option given, in their order, and none that is empty', () => {
    expect(queryString({ $select: 'id', $expand: undefined, $filter: '', $count: 'true' })).toBe(
      '?$select=id&$count=true',
    );
    expect(queryString({})).toBe('');
    expect(queryString({ $select: '' })).toBe('');
  });

  test('gives any value back, and no value can add an option or end the address', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const written = queryString({ $filter: quote(text), $count: 'true' });

        expect(written).toMatch(/^\?[\w$=&%,;:/()'!*.~-]+$/);
        expect([...new URLSearchParams(written)]).toEqual([
          ['$filter', quote(text)],
          ['$count', 'true'],
        ]);
      }),
    );
  });

  test('survives half a surrogate pair, which JSON can carry', () => {
    expect(queryString({ $filter: quote('a\ud800b') })).toBe("?$filter='a%EF%BF%BDb'");
  });
});

describe('a collection', () => {
  test('has rows, where the rest is, and how many there are', () => {
    const body = { value: [{ id: '1' }], '@odata.nextLink': 'https://up/next', '@odata.count': 7 };

    expect(readCollection(body)).toEqual({ value: [{ id: '1' }], nextLink: 'https://up/next', count: 7 });
  });

  test.each([
    [{ value: [] }],
    [{ value: [], '@odata.nextLink': '', '@odata.count': '7' }],
    [{ value: [], '@odata.nextLink': null, '@odata.count': null }],
  ])('in %j has no rest and no count', (body) => {
    expect(readCollection(body)).toEqual({ value: [], nextLink: null, count: null });
  });

  test.each([
    [null],
    ['x'],
    [[]],
    [{}],
    [{ value: {} }],
    [{ value: [null] }],
    [{ value: [[]] }],
    [{ value: [1] }],
  ])('is not in %j', (body) => {
    expect(readCollection(body)).toBeNull();
  });
});

describe('a record', () => {
  test('has the tag of its body before that of the header', () => {
    const inBody = readEntity({ headers: { etag: 'W/"2"' }, body: { '@odata.etag': 'W/"1"' } });
    const inHeader = readEntity({ headers: { etag: 'W/"2"' }, body: { id: '1' } });

    expect(etagOf(inBody)).toBe('W/"1"');
    expect(etagOf(inHeader)).toBe('W/"2"');
    expect(inHeader.id).toBe('1');
  });

  test.each([[{}], [{ '@odata.etag': '' }], [{ '@odata.etag': 7 }], [{ '@odata.etag': null }]])(
    'in %j has no tag',
    (row) => {
      expect(etagOf(row)).toBeNull();
    },
  );

  test.each([[null], [[]], ['text'], [7]])('is not in %j', (body) => {
    expect(() => readEntity({ headers: {}, body })).toThrow(
      expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE', fate: 'unknown' }),
    );
  });
});
