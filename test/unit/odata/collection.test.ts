import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UpstreamResponse } from '../../../src/http/response.ts';
import {
  buildQueryString,
  parseCollection,
  parseEntity,
  parseEtag,
  quoteString,
} from '../../../src/odata/collection.ts';

describe('a string literal', () => {
  test.each([
    ['', "''"],
    ['Ada', "'Ada'"],
    ["O'Hara", "'O''Hara'"],
    ["''", "''''''"],
    ["' or 1 eq 1 or '", "''' or 1 eq 1 or '''"],
  ])('of %j is %s', (text, literal) => {
    expect(quoteString(text)).toBe(literal);
  });

  test('ends at its last quote, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("'", 'a', ' ', '\\', ')') }), (text) => {
        const literal = quoteString(text);

        expect(literal.slice(1, -1).replaceAll("''", '')).not.toContain("'");
        expect(literal.slice(1, -1).replaceAll("''", "'")).toBe(text);
      }),
    );
  });
});

describe('a query string', () => {
  test('does not encode the characters of OData syntax', () => {
    expect(buildQueryString({ $expand: "lines($select=id,no;$filter=a eq 'x:y/z')" })).toBe(
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
    expect(buildQueryString({ $filter: text })).toBe(`?$filter=${encoded}`);
  });

  test('has all non-empty options in order', () => {
    expect(buildQueryString({ $select: 'id', $expand: undefined, $filter: '', $count: 'true' })).toBe(
      '?$select=id&$count=true',
    );
    expect(buildQueryString({})).toBe('');
    expect(buildQueryString({ $select: '' })).toBe('');
  });

  test('decodes to the same values, and no value adds an option or ends the URL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const written = buildQueryString({ $filter: quoteString(text), $count: 'true' });

        expect(written).toMatch(/^\?[\w$=&%,;:/()'!*.~-]+$/);
        expect([...new URLSearchParams(written)]).toEqual([
          ['$filter', quoteString(text)],
          ['$count', 'true'],
        ]);
      }),
    );
  });

  test('accepts a lone surrogate, which JSON can carry', () => {
    expect(buildQueryString({ $filter: quoteString('a\ud800b') })).toBe("?$filter='a%EF%BF%BDb'");
  });
});

describe('a collection', () => {
  test('has rows, a next link and a count', () => {
    const body = { value: [{ id: '1' }], '@odata.nextLink': 'https://up/next', '@odata.count': 7 };

    expect(parseCollection(body)).toEqual({ value: [{ id: '1' }], nextLink: 'https://up/next', count: 7 });
  });

  test('has them under the names of OData 4.01 too', () => {
    const body = { value: [{ id: '1' }], '@nextLink': 'https://up/next', '@count': 7 };

    expect(parseCollection(body)).toEqual({ value: [{ id: '1' }], nextLink: 'https://up/next', count: 7 });
  });

  test.each([
    [{ value: [] }],
    [{ value: [], '@odata.nextLink': '', '@odata.count': '7' }],
    [{ value: [], '@odata.nextLink': null, '@odata.count': null }],
    [{ value: [], '@odata.count': -1 }],
  ])('in %j has no next link and no count', (body) => {
    expect(parseCollection(body)).toEqual({ value: [], nextLink: null, count: null });
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
    [{ value: [], '@odata.nextLink': 7 }],
    [{ value: [], '@odata.nextLink': {} }],
  ])('is not in %j', (body) => {
    expect(parseCollection(body)).toBeNull();
  });
});

const answerOf = (body: unknown, headers = {}): UpstreamResponse => ({
  status: 200,
  headers,
  body,
  bytes: null,
  redact: (text) => text,
});

describe('a record', () => {
  test('has the ETag of its body, else that of the header', () => {
    const inBody = parseEntity('business', answerOf({ '@odata.etag': 'W/"1"' }, { etag: 'W/"2"' }));
    const inHeader = parseEntity('business', answerOf({ id: '1' }, { etag: 'W/"2"' }));

    expect(parseEtag(inBody)).toBe('W/"1"');
    expect(parseEtag(inHeader)).toBe('W/"2"');
    expect(inHeader.id).toBe('1');
    const of401 = parseEntity('business', answerOf({ '@etag': 'W/"3"' }, { etag: 'W/"2"' }));
    expect(parseEtag(of401)).toBe('W/"3"');
  });

  test.each([[{}], [{ '@odata.etag': '' }], [{ '@odata.etag': 7 }], [{ '@odata.etag': null }]])(
    'in %j has no ETag',
    (row) => {
      expect(parseEtag(row)).toBeNull();
    },
  );

  test.each([[null], [[]], ['text'], [7]])('is not in %j', (body) => {
    expect(() => parseEntity('business', answerOf(body))).toThrow(
      expect.objectContaining({ code: 'UPSTREAM_BAD_RESPONSE', delivery: 'unknown' }),
    );
  });
});
