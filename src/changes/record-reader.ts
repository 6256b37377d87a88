import type { RecordType } from '../generated/graphql.ts';

/** A record as a poll sees it: which one, and when it last changed. */
export interface Stamp {
  readonly id: string;
  readonly lastModifiedDateTime: string;
}

/** What this domain needs of business records: it is handed one for each watcher, with the watcher's own token. */
export interface RecordReader {
  /** The company asked for, or the deployment's default. Throws `InputError` when there is neither. */
  companyId(id: string | null | undefined): string;
  /** The latest change of a kind of record; null where there is none. Throws `UpstreamError`. */
  latest(type: RecordType, companyId: string): Promise<string | null>;
  /** Every record changed at an instant or after it. Throws `UpstreamError`. */
  since(type: RecordType, companyId: string, instant: string): Promise<readonly Stamp[]>;
  /** These records as they are now, in their order; null for one that is not there. Throws `UpstreamError`. */
  read(type: RecordType, companyId: string, ids: readonly string[]): Promise<readonly (object | null)[]>;
}

/** What is known to have happened to a record: `CHANGED` is created or updated. */
export type ChangeKind = 'CREATED' | 'UPDATED' | 'DELETED' | 'CHANGED';

/** A change that is to be told; the time is null where the record is gone. */
export interface Change {
  readonly id: string;
  readonly change: ChangeKind;
  readonly lastModifiedDateTime: string | null;
}

export const recordTypes = [
  'CUSTOMER',
  'ITEM',
  'SALES_ORDER',
  'SALES_QUOTE',
  'EMPLOYEE',
] as const satisfies readonly RecordType[];
