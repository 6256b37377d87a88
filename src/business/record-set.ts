import type { SelectedObject } from '../graph/selected-object.ts';
import type { Dialect } from './dialect.ts';

/**
 * How the upstream writes a column. `code`: text that the upstream converts to upper case. `word`: one of a choice, which a
 * dialect may encode. `wordOrBlank`: such a word, or a single space for none. `object`: a JSON object or array that is passed on unread.
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

/** Whether a column holds words of a choice. */
export const isWord = (kind: FieldKind | undefined): boolean => kind === 'word' || kind === 'wordOrBlank';

export type FieldKinds = Readonly<Record<string, FieldKind>>;

/** A record as resolvers see it: its columns by their fields, with null for unset, and what came by `$expand`. */
export interface BusinessRecord {
  readonly companyId: string;
  readonly id: string;
  readonly etag: string | null;
  readonly [field: string]: unknown;
}

/** The columns of one kind of row, and its relations. */
export interface RowShape {
  /** The type in the graph. */
  readonly type: string;
  /** The columns by their fields in the graph, which have the names of the source document. */
  readonly fields: FieldKinds;
  /** The upstream's names of columns, and of rows in a write, where they differ from those of the fields. */
  readonly columnNames?: Readonly<Record<string, string>>;
  /** Fields that the upstream leaves null where they are not set, rather than giving them a value that means it. */
  readonly nullable?: ReadonlySet<string>;
  readonly relations?: Readonly<Record<string, Relation>>;
  /** Columns of the record that the rows belong to, which each row shows, too. */
  readonly ownerFields?: readonly string[];
  /** The columns behind fields of the graph that are neither a column nor a relation by `idColumn`. */
  readonly sourceColumns?: SourceColumns;
  /** Of these, the fields that an extension adds. */
  readonly addedFields?: readonly string[];
  /** What differs from the source document in a dialect: names of columns, and the columns behind a field. */
  readonly dialects?: Readonly<Partial<Record<Dialect['name'], DialectDifferences>>>;
}

type SourceColumns = Readonly<Record<string, readonly string[]>>;

interface DialectDifferences {
  readonly names?: Readonly<Record<string, string>>;
  /** A relation with no such columns is read by `$expand` alone. */
  readonly sourceColumns?: SourceColumns;
  /** Of new lines: by the column that names an item or account, the one that the upstream takes in its place. */
  readonly lineKeys?: Readonly<Record<string, string>>;
}

/** A field of the graph that leads from a row to another record, or to the rows that belong to it. */
export interface Relation {
  /** What it leads to. A record set can be loaded by id, any shape can come by `$expand`. */
  readonly target: RowShape;
  /** The column with the id of the record it leads to. */
  readonly idColumn?: string;
  /** The name to expand by, then other names under which the rows may come. Left out, it is loaded by id only. */
  readonly navigations?: readonly [string, ...string[]];
  readonly isMany?: boolean;
  /** Whether only `$expand` leads to it: no column has its id. */
  readonly isExpandedOnly?: boolean;
  /** Whether creates expand it, too. A create that expands a relation fails where the upstream does not have it. */
  readonly onCreate?: boolean;
  /** What to read of it by `$expand`, from what is selected of its owner; null to load it by key. Default: what is selected. */
  readonly select?: (owner: SelectedObject, dialect: Dialect) => SelectedObject | null;
}

/** How a record of a company is found: by its id, or by the number that people know it by. */
export type RecordKey = { readonly id: string } | { readonly number: string };

/** A number or code that a caller gives, as the upstream keeps it: without blanks around it, in upper case. */
export const toUpstreamCode = (code: string): string => toUpperCase(code.trim());

// As the invariant culture of .NET does: each code unit by itself, ı and ſ as they are, and so is a character whose upper case
// is several, such as ß.
const toUpperCase = (text: string): string =>
  text.replace(/[^ıſ]/g, (unit) => {
    const upper = unit.toUpperCase();
    return upper.length === 1 ? upper : unit;
  });

/** One entity set of the upstream. */
export interface RecordSet extends RowShape {
  readonly entitySet: string;
  /** Its API below `/api`: `v2.0`, or `{publisher}/{group}/{version}` of one that is installed beside the standard one. */
  readonly route: string;
  /** Columns of which a create gives one. */
  readonly requiredInCreate?: readonly string[];
  /** Columns that the upstream changes without changing the record's ETag. */
  readonly columnsOutsideEtag?: readonly string[];
  /** The entity set of the records that its rows belong to: a row is addressed below its owner. */
  readonly ownerSet?: string;
  /** Whether the upstream always assigns the ids of new records itself. */
  readonly assignsIds?: boolean;
}
