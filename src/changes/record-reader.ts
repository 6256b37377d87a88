import type { RecordType } from '../generated/graphql.ts';

/** A record as a poll sees it: which one, and when it last changed. */
export interface ModifiedRecord {
  readonly id: string;
  readonly lastModifiedDateTime: string;
}

/** A record with the name of its type in the graph. */
export type TypedRecord = object & { readonly __typename: string };

/** What this domain needs of business records: it is handed one for each watcher, with the watcher's own token. */
export interface RecordReader {
  /** The company asked for, or the deployment's default. Throws `InputError` when there is neither. */
  companyId(id: string | null | undefined): string;
  /** Every record type that can be watched. */
  readonly types: readonly RecordType[];
  /** The `nodeId` of a record, which need not exist. */
  nodeId(type: RecordType, companyId: string, id: string): string;
  /** The time by the upstream's clock, which sets the times of changes. */
  now(): string;
  /** The latest change of a kind of record; null where there is none. Throws `UpstreamError`. */
  latest(type: RecordType, companyId: string): Promise<string | null>;
  /** Every record changed at an instant or after it. Throws `UpstreamError`. */
  since(type: RecordType, companyId: string, instant: string): Promise<readonly ModifiedRecord[]>;
  /** These records as they are now, in their order; null for one that is not there. Throws `UpstreamError`. */
  read(type: RecordType, companyId: string, ids: readonly string[]): Promise<readonly (TypedRecord | null)[]>;
}

/** What is known to have happened to a record: `CHANGED` is created or updated. */
export type ChangeKind = 'CREATED' | 'UPDATED' | 'DELETED' | 'CHANGED';

/** A change that is to be told; the time is null where the record is gone. */
export interface DetectedChange {
  readonly id: string;
  readonly change: ChangeKind;
  readonly lastModifiedDateTime: string | null;
}
