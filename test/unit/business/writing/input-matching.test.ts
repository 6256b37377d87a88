import fc from 'fast-check';
import { stringify } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { createColumnReader, selectColumns } from '../../../../src/business/record-sets/columns.ts';
import { getDialect } from '../../../../src/business/record-sets/dialect.ts';
import type { FieldKinds, RowShape } from '../../../../src/business/record-sets/record-set.ts';
import { encodeInput, matchesInput } from '../../../../src/business/writing/write-fields.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../../src/runtime/json.ts';

const fields = {
  text: 'text',
  code: 'code',
  uuid: 'uuid',
  date: 'date',
  dateTime: 'dateTime',
  decimal: 'decimal',
  integer: 'int',
  boolean: 'boolean',
  blocked: 'wordOrBlank',
  status: 'word',
} satisfies FieldKinds;

const line: RowShape = { type: 'Line', fields: { itemNo: 'code', quantity: 'decimal' } };

const shape: RowShape = {
  type: 'Thing',
  fields,
  relations: {
    lines: { navigations: ['lines'], target: line, isMany: true },
    parent: { navigations: ['parent'], target: line },
  },
};

const guid = 'a1b2c3d4-0000-4000-8000-0000000000ff';

describe('an input that was written', () => {
  test.each([
    [{}, {}],
    [{ text: undefined }, { text: 'a' }],
    [{ text: ' Ada \t' }, { text: 'Ada' }],
    [{ code: ' dk ' }, { code: 'DK' }],
    [{ code: 'straße' }, { code: 'STRAßE' }],
    [{ code: 'ı1ſ' }, { code: 'ı1ſ' }],
    [{ uuid: guid.toUpperCase() }, { uuid: guid }],
    [{ dateTime: '2026-03-01T09:30:00Z' }, { dateTime: '2026-03-01T09:30:00.000Z' }],
    [{ dateTime: '2026-03-01T09:30:00.120Z' }, { dateTime: '2026-03-01T09:30:00.12Z' }],
    [{ decimal: '4000.50' }, { decimal: '4000.5' }],
    [{ decimal: '0' }, { decimal: '-0.0' }],
    [{ decimal: '-1234567890123456789.1230' }, { decimal: '-1234567890123456789.123' }],
    [
      { integer: 0, boolean: false },
      { integer: 0, boolean: false },
    ],
    [
      { lines: [{ itemNo: 'a1', quantity: '1.0' }, {}] },
      { lines: [{ itemNo: 'A1', quantity: '1' }, { itemNo: 'B' }] },
    ],
    [{ lines: null }, { lines: [] }],
  ])('%j is held by the record %j', (input, record) => {
    expect(matchesInput(shape, record, input)).toBe(true);
  });
});

describe('an input that was not written, or not all of it,', () => {
  test.each([
    [{ text: 'Ada' }, { text: 'ada' }],
    [{ text: 'A  b' }, { text: 'A b' }],
    [{ text: 'Ada' }, { text: null }],
    [{ text: null }, { text: 'Ada' }],
    [
      { text: 'a', code: 'B' },
      { text: 'a', code: 'C' },
    ],
    [{ dateTime: '2026-03-01T09:30:00Z' }, { dateTime: '2026-03-01T09:30:00.1Z' }],
    [{ dateTime: '2026-03-01T09:30:10Z' }, { dateTime: '2026-03-01T09:30:01Z' }],
    [{ decimal: '1' }, { decimal: '-1' }],
    [{ decimal: '1234567890123456789.1' }, { decimal: '1234567890123456789.2' }],
    [{ decimal: '0' }, { decimal: null }],
    [{ blocked: null }, { blocked: 'Ship' }],
    [{ lines: [{ itemNo: 'A' }] }, { lines: [] }],
    [{ lines: [{ itemNo: 'A' }, { itemNo: 'B' }] }, { lines: [{ itemNo: 'B' }, { itemNo: 'A' }] }],
    [{ lines: [{ itemNo: 'A', quantity: '1' }] }, { lines: [{ itemNo: 'A', quantity: '2' }] }],
  ])('%j is not held by the record %j', (input, record) => {
    expect(matchesInput(shape, record, input)).toBe(false);
  });
});

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });

const decimals = fc
  .tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 0n, max: 10n ** 20n }), digits(0, 6))
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction && '.'}${fraction}`);

const times = fc
  .tuple(
    fc.date({ min: new Date('0002-01-01'), max: new Date('9999-01-01'), noInvalidDate: true }),
    digits(0, 9),
  )
  .map(([date, fraction]) => `${date.toISOString().slice(0, 19)}${fraction && '.'}${fraction}Z`);

const dates = times.map((time) => time.slice(0, 10));

const texts = fc.string({ unit: 'grapheme', maxLength: 20 });

const clearable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });

/** Anything a caller may write. */
const inputs = fc.record(
  {
    text: clearable(texts),
    code: clearable(texts),
    uuid: clearable(fc.uuid()),
    date: clearable(dates),
    dateTime: clearable(times),
    decimal: decimals,
    integer: fc.integer(),
    boolean: fc.boolean(),
    blocked: clearable(fc.constantFrom(' ', 'Ship', 'Non-Stock')),
    status: fc.constantFrom('Active', 'In Review'),
    lines: fc.array(fc.record({ itemNo: clearable(texts), quantity: decimals }, { requiredKeys: [] }), {
      maxLength: 4,
    }),
  },
  { requiredKeys: [] },
);

/** By single code units, as .NET does: ß has no upper case of one character, and stays. */
const upperCase = (text: string): string =>
  text
    .split('')
    .map((unit) =>
      unit === 'ı' || unit === 'ſ' || unit.toUpperCase().length > 1 ? unit : unit.toUpperCase(),
    )
    .join('');

/** A row as an upstream keeps and shows it. */
function kept({ lines, ...row }: JsonObject): Record<string, unknown> {
  const columns = Object.entries(row).map(([name, value]) => {
    const isCode = name === 'code' || name === 'itemNo';
    return [name, isCode ? upperCase(String(value).trim()) : name === 'text' ? String(value).trim() : value];
  });
  const rows = Array.isArray(lines) ? { lines: lines.filter(isJsonObject).map(kept) } : {};
  return { ...Object.fromEntries(columns), ...rows };
}

/** A record as it is read from such a row. */
function read(
  of: RowShape,
  dialect: ReturnType<typeof getDialect>,
  row: JsonObject,
): Record<string, unknown> {
  const columns = selectColumns(of, dialect, Object.keys(of.fields));
  const lines = Array.isArray(row.lines) ? row.lines.filter(isJsonObject) : [];
  const record = Object.fromEntries(columns.map((column) => [column.field, createColumnReader(column)(row)]));
  return { ...record, lines: lines.map((one) => read(line, dialect, one)) };
}

/** For each field a value that no server takes for the one given. */
const changes = {
  text: (value: string | null) => `${value ?? ''}x`,
  code: (value: string | null) => `${value ?? ''}X`,
  uuid: (value: string | null) => (value === guid ? guid.replace('f', 'e') : guid),
  date: (value: string | null) => (value === '2026-03-01' ? '2026-03-02' : '2026-03-01'),
  dateTime: (value: string | null) => `${value?.startsWith('2026') ? 2027 : 2026}-03-01T09:30:00Z`,
  decimal: (value: string) => `1${value.replace('-', '')}`,
  integer: (value: number) => (value > 0 ? value - 1 : value + 1),
  boolean: (value: boolean) => !value,
  blocked: (value: string | null) => (value === 'Ship' ? 'Non-Stock' : 'Ship'),
  status: (value: string) => (value === 'Active' ? 'In Review' : 'Active'),
};

describe.each(['document', 'dynamics'] as const)('whatever is written in the dialect %s', (name) => {
  const dialect = getDialect(name);
  const bodyOf = (input: object) => {
    const { body, faults } = encodeInput(shape, dialect, input as Record<string, unknown>, []);
    expect(faults).toEqual([]);
    return parseJson(stringify(body) as string) as JsonObject;
  };

  test('is held by the record that is read back, as it was sent and as upstreams keep it', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const row = bodyOf(input);

        expect(matchesInput(shape, read(shape, dialect, row), input)).toBe(true);
        expect(matchesInput(shape, read(shape, dialect, kept(row)), input)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each(Object.keys(changes) as (keyof typeof changes)[])(
    'is not held by a record whose %s has another value, though all else is the same',
    (field) => {
      fc.assert(
        fc.property(inputs, (input) => {
          const wanted = { decimal: '0', integer: 0, boolean: false, status: 'Active', text: null, ...input };
          const value = (wanted as Record<string, unknown>)[field] ?? null;
          const change = changes[field] as (value: unknown) => unknown;
          const record = read(shape, dialect, bodyOf({ ...wanted, [field]: change(value) }));

          expect(matchesInput(shape, record, { ...wanted, [field]: value })).toBe(false);
        }),
      );
    },
  );
});
