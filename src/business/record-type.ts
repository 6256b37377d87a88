import type { Resolvers } from '../generated/graphql.ts';
import type { Business } from './business.ts';
import type { FieldKinds, RecordKey, RecordSet } from './record-set.ts';

/** What a record type can offer: a mutation of one record, and one of several. */
export type WriteName = 'create' | 'update' | 'delete';

/** Everything the product needs to know of a record type. `records/index.ts` lists them all. */
export interface RecordTypeDescriptor<F extends FieldKinds = FieldKinds> extends RecordSet<F> {
  /** The fields of `Company` that read one record and a list. Companies themselves have none. */
  readonly names?: RecordNames;
  /** What the derived types of its lists say. */
  readonly list: ListDescription;
  /** Types whose records each have a list of these, and the column that holds the id of such a record. */
  readonly listedBy?: Readonly<Record<string, string>>;
  /** Its mutations: `schema/` defines those of one record, those of several derive from them. */
  readonly writes?: readonly WriteName[];
  /** The mutations of its lines, which derive from it, except for `…LinePatch`: `schema/` defines that. */
  readonly lines?: LinesDescriptor;
  /** There where clients can watch changes; `description` is that of its member of `RecordType`. */
  readonly watched?: { readonly description: string };
  /** Loads one record where the record set alone does not hold all of it. */
  load?(business: Business, companyId: string, key: RecordKey): Promise<object | null>;
  /** Adds to a record what the response to its write leaves out. Must not throw: the write has been carried out. */
  complete?(business: Business, record: object): Promise<object>;
  /** Resolvers beside the derived ones, and in place of those with the same name. */
  resolvers?(): Resolvers;
}

export interface LinesDescriptor {
  readonly set: RecordSet;
  /** The record they belong to, in texts: `order`. Inputs name it by `orderId`. */
  readonly owner: string;
}

export interface RecordNames {
  readonly one: string;
  readonly many: string;
  /** The field of `Company` that reads one record by its number; left out where records have none. */
  readonly byNumber?: string;
}

export interface ListDescription {
  /** One of them, with its article: `an employee`. */
  readonly one: string;
  /** Several of them: `employees`. */
  readonly many: string;
  /** Columns that the upstream can neither filter nor sort by: mostly it computes them row by row. */
  readonly unfilterable?: readonly string[];
  /** By column of a choice: what its filter is about, as in "Conditions on …". */
  readonly conditions?: Readonly<Record<string, string>>;
  /** By column: what its description in the filter says beyond the first clause of the field's. */
  readonly filterNotes?: Readonly<Record<string, string>>;
  /** The same for its description among what lists can be sorted by. */
  readonly orderNotes?: Readonly<Record<string, string>>;
}
