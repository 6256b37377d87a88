import { isValidDate, parseDateTime, toUtc } from '../../graph/date-time.ts';
import { formatDecimal } from '../../graph/decimal.ts';
import { isUuid, unsetUuid } from '../../graph/scalars.ts';
import { badResponseError } from '../../http/errors.ts';
import type { ODataRow } from '../../odata/collection.ts';
import { int32OrNull, isJsonObject } from '../../runtime/json.ts';
import { type Dialect, decodeWord } from './dialect.ts';
import type { FieldKind, RowShape } from './record-set.ts';

/** A column of a view: its field in the graph, its name at the upstream, and its kind. */
export interface Column {
  readonly field: string;
  readonly name: string;
  readonly kind: FieldKind;
}

/** The upstream's name of a column. */
export const columnName = ({ columnNames, dialects }: RowShape, dialect: Dialect, field: string): string =>
  dialects?.[dialect.name]?.names?.[field] ?? columnNames?.[field] ?? field;

/** The columns behind these fields of the graph, in the order of the shape. */
export function selectColumns(
  shape: RowShape,
  dialect: Dialect,
  selected: Iterable<string>,
): readonly Column[] {
  const { fields, relations, sourceColumns, dialects } = shape;
  const differences = dialects?.[dialect.name];
  const needed = new Set<string>();
  for (const field of selected) {
    const sources = differences?.sourceColumns?.[field] ?? sourceColumns?.[field];
    for (const name of sources ?? [relations?.[field]?.idColumn ?? field]) needed.add(name);
  }
  return Object.entries(fields)
    .filter(([field]) => needed.has(field))
    .map(([field, kind]) => ({ field, name: columnName(shape, dialect, field), kind }));
}

/** Creates the reader of a column. It returns null for a column that is unset or missing. */
export const createColumnReader = ({ name, kind }: Column): ((row: ODataRow) => unknown) =>
  kind === 'text' || kind === 'code'
    ? // Most columns.
      ({ [name]: value }) => (typeof value === 'string' ? value || null : readValue(kind, value))
    : ({ [name]: value }) => readValue(kind, value);

const readValue = (kind: FieldKind, value: unknown) => (value == null ? null : parseColumnValue(kind, value));

/** What the upstream writes for "unset" (source document, conventions for A). Columns of other kinds cannot be cleared. */
export const unsetValues = {
  text: '',
  code: '',
  wordOrBlank: ' ',
  uuid: unsetUuid,
  date: '0001-01-01',
  dateTime: '0001-01-01T00:00:00Z',
};

/**
 * Parses a value. Returns an error for a value that does not fit the kind: executors throw an `Error` that is the value of a
 * field, so only this field fails.
 */
export function parseColumnValue(kind: FieldKind, value: unknown): unknown {
  if (value === '') return null;
  const parsed = parseValue(kind, value);
  return parsed === undefined
    ? badResponseError('business', `The upstream responded with a value that is no ${kindNames[kind]}.`)
    : parsed;
}

const kindNames: Readonly<Record<FieldKind, string>> = {
  text: 'text',
  code: 'text',
  word: 'text',
  wordOrBlank: 'text',
  uuid: 'GUID',
  date: 'date',
  dateTime: 'timestamp',
  decimal: 'number',
  int: 'integer of 32 bits',
  safeInt: 'integer',
  boolean: 'Boolean',
  object: 'object or list',
};

/** Returns null for an unset value, and undefined for a value that does not fit the kind. */
function parseValue(kind: FieldKind, value: unknown): unknown {
  switch (kind) {
    case 'text':
    case 'code':
      return isJsonObject(value) || Array.isArray(value) ? undefined : String(value);
    case 'word':
    case 'wordOrBlank':
      return typeof value === 'string' ? parseWord(value) : undefined;
    case 'uuid':
      if (value === unsetValues.uuid) return null;
      return isUuid(value) ? value.toLowerCase() : undefined;
    case 'date':
      return parseDate(value);
    case 'dateTime':
      return toUtc(value) === null ? undefined : parseDateTime(value);
    case 'decimal':
      return formatDecimal(value) ?? undefined;
    case 'int':
      return int32OrNull(value) ?? undefined;
    case 'safeInt':
      // The JSON parser keeps integers beyond 2^53 as text, so that they are not rounded.
      if (typeof value === 'string' && longIntegerPattern.test(value)) return longIntegerError(value);
      return Number.isSafeInteger(value) ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'object':
      return isJsonObject(value) || Array.isArray(value) ? value : undefined;
  }
}

// Keeps the trailing blank that some words of the real service have: filters need it.
function parseWord(value: string): string | null {
  const word = decodeWord(value);
  return word.trim() === '' ? null : word;
}

const datePattern = /^(\d{4})-?(\d{2})-?(\d{2})(?:T00:00:00(?:\.0+)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** Accepts a date without hyphens, and a date followed by midnight. */
function parseDate(value: unknown): string | null | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const date = String(value).replace(datePattern, '$1-$2-$3');
  if (date === unsetValues.date) return null;
  return isValidDate(date) ? date : undefined;
}

const longIntegerPattern = /^-?\d{16,20}$/;
const longIntegerError = (value: string) =>
  badResponseError(
    'business',
    `The integer ${value} is beyond ±9007199254740991, the range that clients read exactly.`,
  );
