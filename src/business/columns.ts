import { isValidDate, parseDateTime } from '../graph/date-time.ts';
import { formatDecimal } from '../graph/decimal.ts';
import { type EnumMapping, parseEnumValue } from '../graph/enum-mapping.ts';
import { isUuid, unsetUuid } from '../graph/scalars.ts';
import { badResponseError } from '../http/errors.ts';
import type { ODataRow } from '../odata/collection.ts';
import { int32OrNull, isJsonObject } from '../runtime/json.ts';
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
    const isRaw = field.endsWith('Raw') && !Object.hasOwn(fields, field);
    const column = isRaw ? field.slice(0, -'Raw'.length) : field;
    const sources = differences?.sourceColumns?.[field] ?? sourceColumns?.[field];
    for (const name of sources ?? [relations?.[field]?.idColumn ?? column]) needed.add(name);
  }
  return Object.entries(fields)
    .filter(([field]) => needed.has(field))
    .map(([field, kind]) => ({ field, name: columnName(shape, dialect, field), kind }));
}

/** A row's columns as the fields of a record. A column that the row lacks is null. */
export function parseColumns(columns: readonly Column[], row: ODataRow): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const { field, name, kind } of columns) {
    const value = row[name];
    if (typeof kind === 'object') {
      const word = typeof value === 'string' ? decodeWord(value) : null;
      record[field] = parseEnumValue(kind, word);
      record[`${field}Raw`] = word === '' ? null : word;
    } else {
      record[field] = value == null ? null : parseColumnValue(kind, value);
    }
  }
  return record;
}

/** What the upstream writes for "unset" (source document, conventions for A). Columns of other kinds cannot be cleared. */
export const unsetValues = {
  text: '',
  code: '',
  uuid: unsetUuid,
  date: '0001-01-01',
  dateTime: '0001-01-01T00:00:00Z',
};

/** A value of another JSON type than its kind has is null: one bad value does not make the record unreadable. */
export function parseColumnValue(kind: Exclude<FieldKind, EnumMapping>, value: unknown): unknown {
  switch (kind) {
    case 'text':
    case 'code':
      return value === '' || isJsonObject(value) || Array.isArray(value) ? null : String(value);
    case 'word':
      return typeof value === 'string' ? decodeWord(value).trim() || null : null;
    case 'uuid':
      return isUuid(value) && value !== unsetValues.uuid ? value.toLowerCase() : null;
    case 'date':
      return parseDate(value);
    case 'dateTime':
      return parseDateTime(value);
    case 'decimal':
      return formatDecimal(value);
    case 'int':
      return int32OrNull(value);
    case 'safeInt':
      // One beyond 2^53 arrives as text, and is an error at its field: it is neither unset nor to be rounded.
      return Number.isSafeInteger(value) || isLongInteger(value) ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'object':
      return isJsonObject(value) || Array.isArray(value) ? value : null;
  }
}

const datePattern = /^(\d{4})-?(\d{2})-?(\d{2})(?:T00:00:00(?:\.0+)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** A date, also without hyphens, or with midnight behind it. Other text stays, and is an error at its field: it is not unset. */
function parseDate(value: unknown): string | null {
  if (value === '' || (typeof value !== 'string' && typeof value !== 'number')) return null;
  const text = String(value);
  const date = text.replace(datePattern, '$1-$2-$3');
  if (date === unsetValues.date) return null;
  return isValidDate(date) ? date : text;
}

/** Throws `UpstreamError` for a value of this kind that came, and that the graph cannot show. */
export function requireReadable(kind: FieldKind, value: unknown): unknown {
  if (kind === 'safeInt' && isLongInteger(value))
    throw badResponseError(
      'business',
      `The integer ${value} is beyond ±9007199254740991, the range that clients read exactly.`,
    );
  if (kind === 'date' && value != null && !isValidDate(value))
    throw badResponseError('business', 'The upstream responded with a date that is none.');
  return value;
}

const isLongInteger = (value: unknown): boolean => typeof value === 'string' && /^-?\d{16,20}$/.test(value);
