import type { SelectedObject } from '../graph/selected-object.ts';
import type { Business } from './business.ts';
import type { Dialect } from './dialect.ts';
import type { FileSource } from './files.ts';
import type { RecordKey, RecordSet } from './record-set.ts';

/** The mutations that a record type can have. */
export type WriteName = 'create' | 'update' | 'delete';

/** Everything the product needs to know of a record type. `describeRecords` makes it of a declaration. */
export interface RecordTypeDescriptor extends RecordSet {
  /** The fields of `Company` that read one record and a list. Companies themselves have none. */
  readonly names?: RecordNames;
  /** The mutations of one record. */
  readonly writes: readonly WriteName[];
  /** The mutations of its lines. */
  readonly lines?: LinesDescriptor;
  /** The actions that the upstream has for its records; their mutations derive from them. */
  readonly actions: readonly RecordAction[];
  /** Files that belong to each record, by the field of the graph. */
  readonly files: Readonly<Record<string, FileSource>>;
  /** Set if clients can watch changes; `description` is that of its member of `RecordType`. */
  readonly watched?: { readonly description: string };
  /** Loads one record where the record set alone does not hold all of it. */
  load?(business: Business, companyId: string, key: RecordKey): Promise<object | null>;
  /** How fields of other records lead to one, where the record set alone does not hold all of it. */
  readonly reference?: ReferenceBehaviour;
  /** Adds to a record what the response to its write leaves out. Must not throw: the write has been carried out. */
  complete?(business: Business, record: object): Promise<object>;
}

/** What no declaration says of the records of a type. */
export type Behaviour = Pick<RecordTypeDescriptor, 'load' | 'reference' | 'complete'>;

export interface ReferenceBehaviour {
  /** What `$expand` reads of it below this field of its owner; null to load it by key. */
  select(owner: SelectedObject, dialect: Dialect, field: string): SelectedObject | null;
  /** The record with what `$expand` lacks; null to load it by key. */
  completeExpanded(
    business: Business,
    expanded: object,
    selected: SelectedObject,
  ): object | Promise<object> | null;
}

/** What each column of a list equals; `is` holds the upstream's value. */
export type OwnerColumns = Readonly<Record<string, string | { readonly is: string }>>;

export interface LinesDescriptor {
  readonly set: RecordSet;
  /** The record they belong to, in texts: `order`. Inputs name it by `orderId`. */
  readonly owner: string;
  readonly writes: readonly WriteName[];
}

export interface RecordNames {
  readonly one: string;
  readonly many: string;
  /** The field of `Company` that reads one record by its number; left out where records have none. */
  readonly byNumber?: string;
}

/** An action of the upstream that is bound to a record, such as shipping an order, and the mutation that carries it out. */
export interface RecordAction {
  readonly mutation: string;
  /** The upstream's name of the action, without its namespace. */
  readonly name: string;
  /**
   * What the action does to its record. `removes`: the record is gone afterwards. `mayRemove`: it is gone or changed.
   * `changes`: it has another ETag. `keeps`: the record does not show the action.
   */
  readonly effect: 'removes' | 'mayRemove' | 'changes' | 'keeps';
  /** Whether the record as it is now shows that the action was carried out, by its column `status`. */
  readonly isShownBy?: (status: unknown) => boolean;
  /** The document that comes of it. */
  readonly result?: ActionResult;
  /** Whether the upstream commits before the action ends, so that a refusal is no proof that nothing was carried out. */
  readonly mayFailAfterCommit?: boolean;
}

interface ActionResult {
  /** Its type in the graph. */
  readonly type: string;
  /** The column by which the document names the record. Left out where only the response to the action names the document. */
  readonly ownerColumn?: string;
}

/** Loads one record of a type, with everything that the selection needs. */
export function loadRecord(
  recordType: RecordTypeDescriptor,
  business: Business,
  companyId: string,
  key: RecordKey,
): Promise<object | null> {
  if (recordType.load) return recordType.load(business, companyId, key);
  return 'id' in key
    ? business.load(recordType, companyId, key.id)
    : business.loadByNumber(recordType, companyId, key.number);
}
