import { InputError } from '../errors.ts';
import { isValidDate } from '../graph/date-time.ts';
import { formatDecimal } from '../graph/decimal.ts';
import { isUuid } from '../graph/scalars.ts';
import { type ODataRow, quoteString } from '../odata/collection.ts';
import { int32OrNull } from '../runtime/json.ts';
import { cutText } from '../runtime/text.ts';

export type KeyKind = 'uuid' | 'text' | 'int' | 'safeInt' | 'decimal' | 'date' | 'boolean';

/** A column of a key, by its name at the upstream. */
export interface KeyColumn {
  readonly column: string;
  readonly kind: KeyKind;
}

/**
 * The key of records that are not found by a GUID in `id`. Their `id` in the graph is the key as text: the value of the one
 * column, or all of them as OData writes them, `OrderID=10248,ProductID=11`, with texts in quotes.
 *
 * Each record has one id. A text that names the same record in another form, such as `010248`, is refused.
 */
export type KeyColumns = readonly KeyColumn[];

/** A type of the graph, and how its records are found. */
interface Keyed {
  readonly type: string;
  readonly key?: KeyColumns;
}

/** The most characters of a text in a key: no upstream keeps a longer one in it. */
const maxTextLength = 250;
const maxNumberLength = 40;

/** The id of a row; null where a column of its key is missing or of another kind. */
export const idOfRow = (key: KeyColumns, row: ODataRow): string | null =>
  toId(key, ({ column }) => row[column]);

/** The id with these values of the columns; null where one has no value or is of another kind. */
export function toId(key: KeyColumns, read: (column: KeyColumn) => unknown): string | null {
  const [first] = key;
  if (key.length === 1 && first) return toKeyText(first.kind, read(first));
  const pairs: string[] = [];
  for (const each of key) {
    const text = toKeyText(each.kind, read(each));
    if (text === null) return null;
    pairs.push(`${each.column}=${toLiteral(each.kind, text)}`);
  }
  return pairs.join(',');
}

/** The values in an id, in the order of the key; null for a text that is not the id of any record. */
export function parseId(key: KeyColumns, id: string): readonly string[] | null {
  const [first] = key;
  if (key.length === 1 && first) return toKeyText(first.kind, id) === id ? [id] : null;
  const values = readLiterals(key, id);
  return values && toId(key, (column) => values[key.indexOf(column)]) === id ? values : null;
}

/** The key in the address of a record, with its parentheses and percent-encoded. */
export function formatKeyPredicate(key: KeyColumns | undefined, id: string): string {
  // GUIDs are validated when they are parsed, whether they come from a caller or from an upstream.
  if (key === undefined) return `(${id})`;
  const values = valuesOf(key, id);
  const literals = key.map(({ column, kind }, index) => {
    const literal = encodeURIComponent(toLiteral(kind, values[index] as string));
    return key.length === 1 ? literal : `${encodeURIComponent(column)}=${literal}`;
  });
  return `(${literals.join(',')})`;
}

/** The conditions, all of which hold for the record with this id alone. */
export function keyConditions(key: KeyColumns, id: string): readonly string[] {
  const values = valuesOf(key, id);
  return key.map(({ column, kind }, index) => `${column} eq ${toLiteral(kind, values[index] as string)}`);
}

/** Throws `InputError` for an id of a caller that no record of this type has. GUIDs are checked by their scalar. */
export function requireId({ type, key }: Keyed, id: string): string {
  if (key === undefined || parseId(key, id) !== null) return id;
  const shown = JSON.stringify(id.length > 80 ? `${cutText(id, 80)}…` : id);
  throw new InputError(`${shown} is not the \`id\` of a ${type}: ${describeKey(key)}.`);
}

/** The id that a column of another record names; null where the column is unset or of another kind. */
export function idOfReference({ key }: Pick<Keyed, 'key'>, value: unknown): string | null {
  if (value == null) return null;
  return key === undefined ? (value as string) : toId(key, () => value);
}

/** Whether two ids name the same record: upstreams compare GUIDs, and most of them texts, without case. */
export const isSameId = (one: string, other: string): boolean =>
  one === other || one.toLowerCase() === other.toLowerCase();

/** The value of a column in an id: of each value one text; null for a value of another kind. */
export function toKeyText(kind: KeyKind, value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null;
  const text = String(value);
  switch (kind) {
    case 'text':
      return text.length <= maxTextLength && isWellFormed(text) ? text : null;
    case 'uuid':
      return isUuid(text) ? text.toLowerCase() : null;
    case 'int':
      return integerPattern.test(text) && int32OrNull(Number(text)) !== null ? String(Number(text)) : null;
    case 'safeInt':
      return integerPattern.test(text) && Number.isSafeInteger(Number(text)) ? String(Number(text)) : null;
    case 'decimal':
      return text.length <= maxNumberLength ? shortenDecimal(formatDecimal(text)) : null;
    case 'date':
      return isValidDate(text) ? text : null;
    case 'boolean':
      return text === 'true' || text === 'false' ? text : null;
  }
}

// Without `-0`, which is 0 to JavaScript and another text.
const integerPattern = /^(?:-?[1-9]\d{0,15}|0+|-?0\d{1,15})$/;

function shortenDecimal(decimal: string | null): string | null {
  if (decimal === null || decimal.length > maxNumberLength) return null;
  let end = decimal.length;
  if (decimal.includes('.')) {
    while (decimal[end - 1] === '0') end -= 1;
    if (decimal[end - 1] === '.') end -= 1;
  }
  const short = decimal.slice(0, end);
  return short === '-0' ? '0' : short;
}

// A lone surrogate cannot be written in an address.
const isWellFormed = (text: string): boolean => Buffer.from(text).toString() === text;

const toLiteral = (kind: KeyKind, text: string): string => (kind === 'text' ? quoteString(text) : text);

function valuesOf(key: KeyColumns, id: string): readonly string[] {
  const values = parseId(key, id);
  if (values) return values;
  throw new InputError(`This is not an \`id\`: ${describeKey(key)}.`);
}

const describeKey = (key: KeyColumns): string =>
  key.length === 1
    ? `it is the value of \`${key[0]?.column}\`, as the graph returns it`
    : `it has the form \`${key.map(({ column, kind }) => `${column}=${kind === 'text' ? "'…'" : '…'}`).join(',')}\`, as the graph returns it`;

/** The values of literals with their columns' names, or of one literal alone, in the order of the key. */
function readLiterals(key: KeyColumns, text: string): readonly string[] | null {
  const pieces = splitPieces(text);
  if (pieces.length !== key.length) return null;
  const values = new Map<string, string>();
  for (const piece of pieces) {
    const [, name = key.length === 1 ? key[0]?.column : undefined, literal = ''] =
      /^(?:([^'=]+)=)?(.*)$/s.exec(piece) ?? [];
    const column = key.find((each) => each.column === name);
    const value = column && readLiteral(column.kind, literal);
    if (value == null) return null;
    values.set(column?.column as string, value);
  }
  return values.size === key.length ? key.map(({ column }) => values.get(column) as string) : null;
}

function readLiteral(kind: KeyKind, literal: string): string | null {
  if (kind !== 'text') return toKeyText(kind, literal);
  const inner = literal.slice(1, -1);
  const text = inner.replaceAll("''", "'");
  return literal.length >= 2 && quoteString(text) === literal ? toKeyText(kind, text) : null;
}

/** Splits at commas outside of quotes. */
function splitPieces(text: string): string[] {
  const pieces: string[] = [];
  let isQuoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "'") isQuoted = !isQuoted;
    if (text[at] !== ',' || isQuoted) continue;
    pieces.push(text.slice(start, at));
    start = at + 1;
  }
  return [...pieces, text.slice(start)];
}
