import { describe, expect, test } from 'vitest';
import {
  type Column,
  createFieldReaders,
  selectColumns,
  unsetValues,
} from '../../../src/business/columns.ts';
import { getDialect } from '../../../src/business/dialect.ts';
import type { FieldKinds, RowShape } from '../../../src/business/record-set.ts';
import type { ODataRow } from '../../../src/odata/collection.ts';
import { parseJson } from '../../../src/runtime/json.ts';

const fields = {
  id: 'uuid',
  text: 'text',
  code: 'code',
  uuid: 'uuid',
  date: 'date',
  dateTime: 'dateTime',
  decimal: 'decimal',
  int: 'int',
  safeInt: 'safeInt',
  boolean: 'boolean',
  object: 'object',
  word: 'word',
  wordOrBlank: 'wordOrBlank',
} satisfies FieldKinds;

const document = getDialect('document');
const columnsOf = (names: readonly string[]) => selectColumns({ type: 'Thing', fields }, document, names);
const parseColumns = (columns: readonly Column[], row: ODataRow) =>
  Object.fromEntries(createFieldReaders(columns).map(({ field, read }) => [field, read(row)]));
const read = (row: ODataRow) => parseColumns(columnsOf(Object.keys(row)), row);

describe('a column', () => {
  test.each([
    ['text', 'Ada', 'Ada'],
    ['text', ' ', ' '],
    ['text', '0', '0'],
    ['code', 'ab-1', 'ab-1'],
    ['uuid', 'A1B2C3D4-0000-4000-8000-0000000000FF', 'a1b2c3d4-0000-4000-8000-0000000000ff'],
    ['date', '2026-03-01', '2026-03-01'],
    ['date', '20260301', '2026-03-01'],
    ['date', 20260301, '2026-03-01'],
    ['date', '2026-03-01T00:00:00Z', '2026-03-01'],
    ['date', '2026-03-01T00:00:00.000+02:00', '2026-03-01'],
    ['dateTime', '2026-03-01T09:30:00.1234567Z', '2026-03-01T09:30:00.1234567Z'],
    ['decimal', 4000.5, '4000.5'],
    ['decimal', 0, '0'],
    ['decimal', '4000.50', '4000.50'],
    ['int', 10_000, 10_000],
    ['int', 0, 0],
    ['safeInt', 2 ** 53 - 1, 2 ** 53 - 1],
    ['boolean', false, false],
    ['boolean', true, true],
    ['object', { unitCode: 'PCS' }, { unitCode: 'PCS' }],
    ['object', ['PCS', 1], ['PCS', 1]],
    ['word', 'In Review', 'In Review'],
    ['word', 'In_x0020_Review', 'In Review'],
    ['word', 'Some_x002D_thing', 'Some-thing'],
    ['word', '_x00zz_', '_x00zz_'],
    ['word', 'Expired_x0020_', 'Expired '],
    ['wordOrBlank', 'Ship', 'Ship'],
  ])('of kind %s reads %j as %j', (kind, value, expected) => {
    expect(read({ [kind]: value })).toEqual({ [kind]: expected });
  });

  test.each([
    ['text', ''],
    ['uuid', '00000000-0000-0000-0000-000000000000'],
    ['uuid', ''],
    ['date', '0001-01-01'],
    ['date', ''],
    ['date', '0001-01-01T00:00:00Z'],
    ['date', '00010101'],
    ['dateTime', '0001-01-01T00:00:00Z'],
    ['dateTime', '0001-01-01T00:00:00.000Z'],
    ['dateTime', ''],
    ['wordOrBlank', ' '],
    ['wordOrBlank', '_x0020_'],
    ['wordOrBlank', ''],
    ['word', ' '],
  ])('of kind %s reads its stand-in %j as null', (kind, value) => {
    expect(read({ [kind]: value })).toEqual({ [kind]: null });
  });

  test.each([
    ['uuid', 'x)/../../../sandbox', 'GUID'],
    ['uuid', { a: 1 }, 'GUID'],
    ['date', 'banana', 'date'],
    ['date', '2026-02-30', 'date'],
    ['date', '2026-03-01T22:00:00Z', 'date'],
    ['date', true, 'date'],
    ['dateTime', 'banana', 'timestamp'],
    ['dateTime', 5, 'timestamp'],
    ['decimal', {}, 'number'],
    ['decimal', 'much', 'number'],
    ['decimal', true, 'number'],
    ['int', 1.5, 'integer'],
    ['int', 3e9, 'integer'],
    ['int', '7', 'integer'],
    ['safeInt', 2 ** 53, 'integer'],
    ['safeInt', '9223372036854775807', 'beyond'],
    ['boolean', 'true', 'Boolean'],
    ['boolean', 0, 'Boolean'],
    ['text', { toString: 1 }, 'text'],
    ['text', ['Ada'], 'text'],
    ['object', 'PCS', 'object'],
    ['word', 7, 'text'],
  ])('of kind %s reads %j, which does not fit it, as an error', (kind, value, word) => {
    expect(read({ [kind]: value } as ODataRow)[kind]).toMatchObject({
      code: 'UPSTREAM_BAD_RESPONSE',
      message: expect.stringContaining(word),
    });
  });

  test('of kind dateTime is turned into UTC', () => {
    expect(read({ dateTime: '2026-03-01T09:30:00+02:00' })).toEqual({ dateTime: '2026-03-01T07:30:00Z' });
  });

  test.each(Object.keys(fields))('of kind %s reads null and what is not there as null', (kind) => {
    expect(parseColumns(columnsOf([kind]), { [kind]: null })).toEqual({ [kind]: null });
    expect(parseColumns(columnsOf([kind]), {})).toEqual({ [kind]: null });
  });

  test('of kind decimal keeps digits that a double does not hold', () => {
    const row = parseJson('{"decimal":12345678901234567890.12}') as ODataRow;

    expect(read(row)).toEqual({ decimal: '12345678901234567890.12' });
  });

  test('of kind text keeps the digits of a number too', () => {
    const row = parseJson('{"text":12345678901234567890}') as ODataRow;

    expect(read(row)).toEqual({ text: '12345678901234567890' });
  });

  test('that was not asked for is not read', () => {
    expect(parseColumns(columnsOf(['text']), { text: 'Ada', date: '2026-03-01' })).toEqual({ text: 'Ada' });
  });
});

describe('the columns behind a selection', () => {
  const shape: RowShape = {
    type: 'Thing',
    fields,
    relations: { owner: { target: { type: 'Thing', fields }, idColumn: 'uuid' } },
    sourceColumns: { related: ['uuid', 'text'] },
    dialects: { dynamics: { names: { int: 'sequence' }, sourceColumns: { related: ['int'] } } },
  };
  const namesFor = (dialect: 'document' | 'dynamics', selected: readonly string[]) =>
    selectColumns(shape, getDialect(dialect), new Set(selected)).map(({ name }) => name);

  test.each([
    ['the fields selected', ['text', 'date'], ['text', 'date']],
    ["the shape's own order", ['boolean', 'date', 'text', 'id'], ['id', 'text', 'date', 'boolean']],
    ['the id that a relation goes by', ['owner'], ['uuid']],
    ['the source columns of a field', ['related'], ['text', 'uuid']],
    ['nothing for fields that are no columns', ['company', 'etag', '__typename', 'companyId'], []],
  ])('are %s', (_what, selected, columns) => {
    expect(namesFor('document', selected)).toEqual(columns);
  });

  test('have the names and the source columns of the dialect', () => {
    expect(namesFor('document', ['int', 'text'])).toEqual(['text', 'int']);
    expect(namesFor('dynamics', ['int', 'text'])).toEqual(['text', 'sequence']);
    expect(namesFor('dynamics', ['related'])).toEqual(['sequence']);
  });

  test('of another name are read into their field', () => {
    expect(
      parseColumns(selectColumns(shape, getDialect('dynamics'), ['int']), { sequence: 7, int: 8 }),
    ).toEqual({
      int: 7,
    });
  });
});

test('what stands for unset reads as null', () => {
  for (const [kind, standIn] of Object.entries(unsetValues)) {
    expect(read({ [kind]: standIn })).toEqual({ [kind]: null });
  }
});
