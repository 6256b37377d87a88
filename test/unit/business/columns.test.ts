import { describe, expect, test } from 'vitest';
import { type Column, createColumnReader, selectColumns } from '../../../src/business/record-sets/columns.ts';
import { getDialect } from '../../../src/business/record-sets/dialect.ts';
import type { FieldKinds, RowShape } from '../../../src/business/record-sets/record-set.ts';
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
  Object.fromEntries(columns.map((column) => [column.field, createColumnReader(column)(row)]));
const read = (row: ODataRow) => parseColumns(columnsOf(Object.keys(row)), row);

describe('a column', () => {
  test.each([
    ['text', 'Ada', 'Ada'],
    ['uuid', 'A1B2C3D4-0000-4000-8000-0000000000FF', 'a1b2c3d4-0000-4000-8000-0000000000ff'],
    ['date', '2026-03-01', '2026-03-01'],
    ['dateTime', '2026-03-01T09:30:00.1234567Z', '2026-03-01T09:30:00.1234567Z'],
    ['decimal', 4000.5, '4000.5'],
    ['decimal', '4000.50', '4000.50'],
    ['int', 10_000, 10_000],
    ['safeInt', 2 ** 53 - 1, 2 ** 53 - 1],
    ['word', 'In Review', 'In Review'],
    ['word', 'In_x0020_Review', 'In Review'],
  ])('of kind %s reads %j as %j', (kind, value, expected) => {
    expect(read({ [kind]: value })).toEqual({ [kind]: expected });
  });

  test.each([
    ['text', ''],
    ['uuid', '00000000-0000-0000-0000-000000000000'],
    ['date', '0001-01-01'],
    ['dateTime', '0001-01-01T00:00:00Z'],
    ['wordOrBlank', ' '],
    ['wordOrBlank', '_x0020_'],
    ['word', ' '],
  ])('of kind %s reads its stand-in %j as null', (kind, value) => {
    expect(read({ [kind]: value })).toEqual({ [kind]: null });
  });

  test.each([
    ['uuid', 'x)/../../../sandbox', 'GUID'],
    ['date', 'banana', 'date'],
    ['date', '2026-03-01T22:00:00Z', 'date'],
    ['dateTime', 'banana', 'timestamp'],
    ['decimal', 'much', 'number'],
    ['int', 1.5, 'integer'],
    ['safeInt', 2 ** 53, 'integer'],
    ['safeInt', '9223372036854775807', 'beyond'],
    ['boolean', 'true', 'Boolean'],
    ['text', { toString: 1 }, 'text'],
    ['object', 'PCS', 'object'],
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

  test('have their own names', () => {
    const columns = selectColumns({ ...shape, columnNames: { text: 'Its_Text' } }, document, [
      'text',
      'word',
    ]);

    expect(columns.map(({ name }) => name)).toEqual(['Its_Text', 'word']);
  });

  test('have the names and the source columns of the dialect', () => {
    expect(namesFor('document', ['int', 'text'])).toEqual(['text', 'int']);
    expect(namesFor('dynamics', ['int', 'text'])).toEqual(['text', 'sequence']);
    expect(namesFor('dynamics', ['related'])).toEqual(['sequence']);
  });
});
