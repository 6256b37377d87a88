import { type Choice, readChoice } from '../graph/choice.ts';
import { isDate, readTime } from '../graph/date-time.ts';
import { decimalText } from '../graph/decimal.ts';
import { isUuid, unsetUuid } from '../graph/scalars.ts';
import { int32OrNull, isObject } from '../upstream/json.ts';
import type { Row } from '../upstream/odata.ts';
import { type Dialect, decodeWord } from './dialect.ts';

/**
 * How a column is written by the upstream. A code is a text the upstream puts into upper case; a word is a choice
 * whose members are not listed here; an object is passed on as it is.
 */
export type Kind =
  | 'text'
  | 'code'
  | 'word'
  | 'uuid'
  | 'date'
  | 'dateTime'
  | 'decimal'
  | 'int'
  | 'safeInt'
  | 'boolean'
  | 'object'
  | Choice;

export type Fields = Readonly<Record<string, Kind>>;

type ValueOf<K extends Kind> =
  K extends Choice<infer Name>
    ? Name | 'UNRECOGNIZED'
    : K extends 'int' | 'safeInt'
      ? number
      : K extends 'boolean'
        ? boolean
        : K extends 'object'
          ? Row
          : string;

/** A record as resolvers see it: unset is null, choices are the graph's names beside the upstream's words. */
export type RecordOf<F extends Fields> = {
  readonly companyId: string;
  readonly id: string;
  readonly etag: string | null;
} & {
  readonly [Name in Exclude<keyof F, 'id'>]: ValueOf<F[Name]> | null;
} & {
  readonly [Name in keyof F as F[Name] extends Choice ? `${Name & string}Raw` : never]: string | null;
};

/** The columns of one kind of row, and which of them answer which fields of the graph's type. */
export interface Shape<F extends Fields = Fields> {
  readonly type: string;
  readonly fields: F;
  /** The columns behind fields of the graph that are no column themselves. */
  readonly needs?: Needs;
  /** Rows that come inside a row of this shape by `$expand`, by the graph's field they answer. */
  readonly expansions?: Readonly<Record<string, Expansion>>;
  /** Where a dialect has other names or needs other columns than the document. */
  readonly dialects?: Readonly<
    Partial<
      Record<Dialect['name'], { readonly names: Readonly<Record<string, string>>; readonly needs: Needs }>
    >
  >;
}

type Needs = Readonly<Record<string, readonly string[]>>;

/** One entity set of the upstream. */
export interface RecordSet<F extends Fields = Fields> extends Shape<F> {
  readonly entitySet: string;
  readonly apiVersion: 'v2.0' | 'v1.0';
  /** Columns whose change the upstream books elsewhere: the record's entity tag says nothing about them. */
  readonly booked?: readonly string[];
}

/** A way from a row to the rows that belong to it, or to one record it names. */
export interface Expansion {
  /** The name to expand by, then the other names under which the rows may come. */
  readonly navigations: readonly [string, ...string[]];
  readonly shape: Shape;
  readonly isMany: boolean;
}

/** A column as a view reads it: the graph's field, the upstream's name and what it holds. */
export interface Column {
  readonly field: string;
  readonly name: string;
  readonly kind: Kind;
}

/** The columns that answer these fields of the graph, in the shape's own order. */
export function columnsFor(shape: Shape, dialect: Dialect, selected: Iterable<string>): readonly Column[] {
  const { fields, needs, dialects } = shape;
  const own = dialects?.[dialect.name];
  const needed = new Set<string>();
  for (const field of selected) {
    const column = field.endsWith('Raw') ? field.slice(0, -'Raw'.length) : field;
    for (const name of own?.needs[field] ?? needs?.[field] ?? [column]) needed.add(name);
  }
  return Object.entries(fields)
    .filter(([field]) => needed.has(field))
    .map(([field, kind]) => ({ field, name: own?.names[field] ?? field, kind }));
}

/** A row's columns as a record's fields. A column the row does not hold is null. */
export function readColumns(columns: readonly Column[], row: Row): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const { field, name, kind } of columns) {
    const value = row[name];
    if (typeof kind === 'object') {
      const word = typeof value === 'string' ? decodeWord(value) : null;
      record[field] = readChoice(kind, word);
      record[`${field}Raw`] = word === '' ? null : word;
    } else {
      record[field] = value == null ? null : readValue(kind, value);
    }
  }
  return record;
}

/** What the upstream writes for "unset" (document, conventions for A); other kinds cannot be cleared. */
export const standIns = {
  text: '',
  code: '',
  uuid: unsetUuid,
  date: '0001-01-01',
  dateTime: '0001-01-01T00:00:00Z',
};

// The upstream's own type is not taken on trust: what does not fit is null, and the record stands.
function readValue(kind: Exclude<Kind, Choice>, value: unknown): unknown {
  switch (kind) {
    case 'text':
    case 'code':
      return value === '' || isObject(value) || Array.isArray(value) ? null : String(value);
    case 'word':
      return typeof value === 'string' ? decodeWord(value).trim() || null : null;
    case 'uuid':
      return isUuid(value) && value !== standIns.uuid ? value.toLowerCase() : null;
    case 'date':
      return isDate(value) && value !== standIns.date ? value : null;
    case 'dateTime':
      return readTime(value);
    case 'decimal':
      return decimalText(value);
    case 'int':
      return int32OrNull(value);
    case 'safeInt':
      return Number.isSafeInteger(value) ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'object':
      return isObject(value) ? value : null;
  }
}
