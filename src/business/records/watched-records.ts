import type { RecordType } from '../../generated/graphql.ts';
import { withTypename } from '../../graph/entities.ts';
import { encodeNodeId } from '../../graph/nodes.ts';
import type { RecordTimestamp } from '../reading/changed-records.ts';
import { toEnumMember } from '../reading/filters.ts';
import type { Business } from './business.ts';
import { loadRecord, type RecordTypeDescriptor } from './record-type.ts';

/** The record types whose changes can be watched, by their members of `RecordType`. */
export type WatchedRecordTypes = ReadonlyMap<RecordType, RecordTypeDescriptor>;

// The types of RECORD_TYPES are members of `RecordType` that the generated TypeScript type lacks, hence the cast.
export const listWatched = (recordTypes: readonly RecordTypeDescriptor[]): WatchedRecordTypes =>
  new Map(
    recordTypes.flatMap((recordType) =>
      recordType.watched && recordType.names
        ? [[toEnumMember(recordType.names.one) as RecordType, recordType]]
        : [],
    ),
  );

/** The entity sets of these record types, spelled as in notifications. */
export const listWatchedSets = (watched: WatchedRecordTypes) =>
  [...watched].map(([type, { route, entitySet }]) => ({
    type,
    route,
    entitySet: decodeURIComponent(entitySet),
  }));

/** Reads watched records. Each read goes to the upstream. */
export function createRecordReader(business: Business, watched: WatchedRecordTypes) {
  const descriptorOf = (type: RecordType) => watched.get(type) as RecordTypeDescriptor;

  return {
    companyId: business.companyId,
    types: [...watched.keys()],

    nodeId(type: RecordType, companyId: string, id: string): string {
      return encodeNodeId(descriptorOf(type).type, [companyId, id]);
    },

    // Adds a second, because the upstream's `Date` header has whole seconds.
    now: () => new Date(Date.now() + business.clockOffsetMs() + 1_000).toISOString(),

    async latest(type: RecordType, companyId: string): Promise<string | null> {
      business.invalidateReads();
      const [latest] = await business.readChangedSince(descriptorOf(type), companyId, null);
      return latest?.lastModifiedDateTime ?? null;
    },

    since(type: RecordType, companyId: string, instant: string): Promise<readonly RecordTimestamp[]> {
      business.invalidateReads();
      return business.readChangedSince(descriptorOf(type), companyId, instant);
    },

    async read(type: RecordType, companyId: string, ids: readonly string[]) {
      business.invalidateReads();
      const recordType = descriptorOf(type);
      const load = async (id: string) => {
        const record = await loadRecord(recordType, business, companyId, { id });
        return record && withTypename(record, recordType.type);
      };
      return Promise.all(ids.map(load));
    },
  };
}
