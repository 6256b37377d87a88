import type { SelectedObject } from '../../graph/selected-object.ts';
import type { FileSource } from '../reading/files.ts';
import type { Dialect } from '../record-sets/dialect.ts';
import type { RecordKey, RecordSet } from '../record-sets/record-set.ts';
import type { Business } from './business.ts';

/** The mutations that a record type can have. */
export type WriteName = 'create' | 'update' | 'delete';

/** Everything that Tributary knows about a record type. `describeRecords` derives it from a declaration. */
export interface RecordTypeDescriptor extends RecordSet {
  /** The fields of `Company` that read one record and a list. The type `Company` itself has none. */
  readonly names?: RecordNames;
  /** The mutations of one record. */
  readonly writes: readonly WriteName[];
  readonly lines?: LinesDescriptor;
  /** The upstream's actions on its records. Each has a derived mutation. */
  readonly actions: readonly RecordAction[];
  /** The files of each record, by field name. */
  readonly files: Readonly<Record<string, FileSource>>;
  /** Set if clients can watch changes. `description` describes its member of the enum `RecordType`. */
  readonly watched?: { readonly description: string };
  /** Loads one record of a type whose fields come from several record sets. */
  load?(business: Business, companyId: string, key: RecordKey): Promise<object | null>;
  /** Resolves relations to a type whose fields come from several record sets. */
  readonly reference?: ReferenceBehaviour;
  /** Adds the fields that the response to a write lacks. Must not throw: the write has been carried out. */
  complete?(business: Business, record: object): Promise<object>;
}

/** The parts of a descriptor that code defines, because a declaration cannot express them. */
export type Behaviour = Pick<RecordTypeDescriptor, 'load' | 'reference' | 'complete'>;

export interface ReferenceBehaviour {
  /** The fields to expand below `field` of the owner; null to load the record by key. */
  select(owner: SelectedObject, dialect: Dialect, field: string): SelectedObject | null;
  /** Adds the fields that the expansion lacks; null to load the record by key. */
  completeExpanded(
    business: Business,
    expanded: object,
    selected: SelectedObject,
  ): object | Promise<object> | null;
}

/** The condition of an owned list: each column equals this field of the owner, or the upstream's value `is`. */
export type OwnerColumns = Readonly<Record<string, string | { readonly is: string }>>;

export interface LinesDescriptor {
  readonly set: RecordSet;
  /** The owner's noun in descriptions: `order`. Inputs have its id as `orderId`. */
  readonly owner: string;
  readonly writes: readonly WriteName[];
}

export interface RecordNames {
  readonly one: string;
  readonly many: string;
  /** The field of `Company` that reads one record by its number; left out where records have none. */
  readonly byNumber?: string;
}

/** An OData action of the upstream bound to a record, such as shipping an order, and its mutation. */
export interface RecordAction {
  readonly mutation: string;
  /** The upstream's name of the action, without its namespace. */
  readonly name: string;
  /**
   * The effect on the record. `removes`: deletes it. `mayRemove`: deletes or changes it. `changes`: gives it another ETag.
   * `keeps`: leaves it as it is.
   */
  readonly effect: 'removes' | 'mayRemove' | 'changes' | 'keeps';
  /** Whether this value of the column `status` shows that the action was carried out. */
  readonly isShownBy?: (status: unknown) => boolean;
  /** The document that the action creates. */
  readonly result?: ActionResult;
  /** Whether the upstream commits before the action ends. A rejection then does not prove that nothing was carried out. */
  readonly mayFailAfterCommit?: boolean;
}

interface ActionResult {
  /** Its type in the graph. */
  readonly type: string;
  /** The column of the document with the record's id. Without it, only the response to the action identifies the document. */
  readonly ownerColumn?: string;
}

/** Loads one record with the fields that the operation selects. */
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
