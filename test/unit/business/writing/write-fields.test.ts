import { stringify } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { getDialect } from '../../../../src/business/record-sets/dialect.ts';
import type { FieldKinds } from '../../../../src/business/record-sets/record-set.ts';
import { encodeInput, validateIfMatch } from '../../../../src/business/writing/write-fields.ts';

const fields = {
  text: 'text',
  uuid: 'uuid',
  date: 'date',
  dateTime: 'dateTime',
  decimal: 'decimal',
  integer: 'int',
  boolean: 'boolean',
  blocked: 'wordOrBlank',
  status: 'word',
} satisfies FieldKinds;

const shape = { type: 'Thing', fields };
const dialect = getDialect('document');
const jsonOf = (input: Record<string, unknown>) => stringify(encodeInput(shape, dialect, input, []).body);

describe('what is sent of an input', () => {
  test('is what it holds, with words as they are', () => {
    const input = {
      text: 'Ada',
      uuid: 'a1b2c3d4-0000-4000-8000-0000000000ff',
      date: '2026-03-01',
      dateTime: '2026-03-01T09:30:00Z',
      integer: 0,
      boolean: false,
      blocked: 'Ship',
      status: 'In Review',
    };

    expect(encodeInput(shape, dialect, input, [])).toEqual({ body: input, faults: [] });
  });

  test('is under the name of its column, though it has that of a reference', () => {
    const fields = { subject: 'text', item: 'text', itemId: 'uuid', state: 'word' } as const;
    const odd = { type: 'Odd', fields, columnNames: { subject: 'Subject_Line', state: 'Status' } };
    const input = { subject: 'a', item: 'b', itemId: 'a1b2c3d4-0000-4000-8000-0000000000ff', state: 'Odd' };

    expect(encodeInput(odd, dialect, input, [])).toEqual({
      body: { Subject_Line: 'a', item: 'b', itemId: input.itemId, Status: 'Odd' },
      faults: [],
    });
  });

  test.each([
    ['text', ''],
    ['uuid', '00000000-0000-0000-0000-000000000000'],
    ['date', '0001-01-01'],
    ['dateTime', '0001-01-01T00:00:00Z'],
    ['blocked', ' '],
  ])('has the stand-in of a cleared %s, %j', (name, standIn) => {
    expect(encodeInput(shape, dialect, { [name]: null }, [])).toEqual({
      body: { [name]: standIn },
      faults: [],
    });
  });

  test.each([
    ['4000.50', '4000.50'],
    ['12345678901234567890.1234567890', '12345678901234567890.1234567890'],
  ])('has the decimal %s as a JSON number with all its digits', (decimal, digits) => {
    expect(jsonOf({ decimal })).toBe(`{"decimal":${digits}}`);
  });
});

describe('an input', () => {
  test.each([
    ['decimal', null, 'cannot be cleared'],
    ['status', null, 'cannot be cleared'],
    ['status', 'x'.repeat(251), 'more than 250 characters'],
  ])('with %s %j is at fault there', (name, value, why) => {
    const { body, faults } = encodeInput(shape, dialect, { [name]: value }, ['documentLines', '3']);

    expect(body).toEqual({});
    expect(faults).toEqual([
      {
        code: 'INVALID_INPUT',
        message: expect.stringMatching(new RegExp(`^\`${name}\` .*${why}`)),
        path: ['input', 'documentLines', '3', name],
        upstream: null,
      },
    ]);
  });

  test('with a record by its id and by its number or code is at fault at the latter', () => {
    const fields = { itemId: 'uuid', itemNo: 'code', deviceId: 'text', deviceCode: 'code' } as const;
    const one = { itemNo: '1000' };
    const device = { deviceId: 'a', deviceCode: 'B' };
    const faultsOf = (input: object) =>
      encodeInput({ type: 'Line', fields }, dialect, { ...input }, ['line']).faults;

    expect(faultsOf({ ...one, ...device, itemId: undefined })).toEqual([]);
    expect(faultsOf({ ...one, itemId: null })).toMatchObject([
      { message: 'Give `itemId` or `itemNo`, not both.', path: ['input', 'line', 'itemNo'] },
    ]);
  });
});

describe('in the dialect of the real service', () => {
  const lines = { ...shape, dialects: { dynamics: { names: { integer: 'sequence' } } } };

  test('words are written as names, and columns under their own', () => {
    const { body } = encodeInput(
      lines,
      getDialect('dynamics'),
      { blocked: null, status: 'In Review', integer: 7, text: 'a b' },
      [],
    );

    expect(body).toEqual({
      blocked: '_x0020_',
      status: 'In_x0020_Review',
      sequence: 7,
      text: 'a b',
    });
  });
});

test.each([
  ['*', true],
  ['"a"', true],
  ['W/"JzQ0O0"', true],
  // As HTTP permits.
  ['W/"\u00e9"', true],
  ['""', true],
  ['', false],
  ['abc', false],
  ['"a", "b"', false],
  ['"a"\r\nx: y', false],
  [`"${'a'.repeat(1_001)}"`, false],
])('that %j is a valid `ifMatch` is %s', (ifMatch, isValid) => {
  const error = { code: 'INVALID_INPUT', path: ['input', 'entries', '1', 'ifMatch'] };
  expect(validateIfMatch(ifMatch, ['entries', '1'])).toMatchObject(isValid ? [] : [error]);
});
