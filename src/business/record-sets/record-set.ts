import type { SelectedObject } from '../../graph/selected-object.ts';
import type { Dialect } from './dialect.ts';

/**
 * The representation of a column at the upstream. `code`: text that the upstream converts to upper case. `word`: a member of
 * an enumeration, which a dialect may encode. `wordOrBlank`: a word, or a single space for none. `object`: a JSON object or
 * array, passed on as it is.
 */
export type FieldKind =
  | 'text'
  | 'code'
  | 'word'
  | 'wordOrBlank'
  | 'uuid'
  | 'date'
  | 'dateTime'
  | 'decimal'
  | 'int'
  | 'safeInt'
  | 'boolean'
  | 'object';

/** Whether a column holds members of an enumeration. */
export const isWord = (kind: FieldKind | undefined): boolean => kind === 'word' || kind === 'wordOrBlank';

export type FieldKinds = Readonly<Record<string, FieldKind>>;

/** A record as resolvers see it: its columns and expanded relations by field name. Unset columns are null. */
export interface BusinessRecord {
  readonly companyId: string;
  readonly id: string;
  readonly etag: string | null;
  readonly [field: string]: unknown;
}

/** The columns and relations of one kind of row. */
export interface RowShape {
  /** The type in the graph. */
  readonly type: string;
  /** The kinds of columns by field name. Fields have the names of the source document. */
  readonly fields: FieldKinds;
  /** The upstream's names of columns, and of rows in a write, if they differ from the field names. */
  readonly columnNames?: Readonly<Record<string, string>>;
  /** Fields whose unset value at the upstream is null, rather than one of `unsetValues`. */
  readonly nullable?: ReadonlySet<string>;
  readonly relations?: Readonly<Record<string, Relation>>;
  /** Columns of the owner that each row repeats. */
  readonly ownerFields?: readonly string[];
  /** The columns to read for fields that are neither a column nor a relation by `idColumn`. */
  readonly sourceColumns?: SourceColumns;
  /** The fields among `sourceColumns` that an extension adds. */
  readonly addedFields?: readonly string[];
  /** The differences of a dialect from the source document. */
  readonly dialects?: Readonly<Partial<Record<Dialect['name'], DialectDifferences>>>;
}

type SourceColumns = Readonly<Record<string, readonly string[]>>;

interface DialectDifferences {
  readonly names?: Readonly<Record<string, string>>;
  /** A relation with an empty list can only be read by `$expand`. */
  readonly sourceColumns?: SourceColumns;
  /** New lines: the key of an item or account that a caller may give, mapped to the key that the upstream accepts. */
  readonly lineKeys?: Readonly<Record<string, string>>;
}

/** A field of the graph that leads from a row to another record, or to the rows of a record. */
export interface Relation {
  /** A record set can be loaded by id; any shape can be expanded. */
  readonly target: RowShape;
  /** The column with the id of the related record. */
  readonly idColumn?: string;
  /** The navigation to expand, then other names that responses may have for it. Without navigations, it is loaded by id only. */
  readonly navigations?: readonly [string, ...string[]];
  readonly isMany?: boolean;
  /** Whether it can only be read by `$expand`, because no column has its id. */
  readonly isExpandedOnly?: boolean;
  /** Whether creates expand it, too. A create with an expansion that the upstream does not support fails. */
  readonly onCreate?: boolean;
  /** Overrides the fields to expand, given the selection of its owner; null to load it by key. Default: the selected fields. */
  readonly select?: (owner: SelectedObject, dialect: Dialect) => SelectedObject | null;
}

/** The id of a record, or the number that users know it by. */
export type RecordKey = { readonly id: string } | { readonly number: string };

/** Converts a caller's number or code to the upstream's spelling: trimmed, in upper case. */
export const toUpstreamCode = (code: string): string => toUpperCase(code.trim());

// Follows `String.ToUpperInvariant` of .NET: converts each code unit by itself, and keeps ı, ſ, and characters whose upper
// case has several code units, such as ß.
const toUpperCase = (text: string): string =>
  text.replace(/[^ıſ]/g, (unit) => {
    const upper = unit.toUpperCase();
    return upper.length === 1 ? upper : unit;
  });

/** One entity set of the upstream. */
export interface RecordSet extends RowShape {
  readonly entitySet: string;
  /** The path of its API below `/api`: `v2.0`, or `{publisher}/{group}/{version}` of a custom API. */
  readonly route: string;
  /** A create must set at least one of these columns. */
  readonly requiredInCreate?: readonly string[];
  /** Columns that the upstream changes without changing the record's ETag. */
  readonly columnsOutsideEtag?: readonly string[];
  /** The entity set of its owners. Rows are addressed below their owner. */
  readonly ownerSet?: string;
  /** Whether the upstream always assigns the ids of new records. */
  readonly assignsIds?: boolean;
}
