import type { RecordType } from '../generated/graphql.ts';
import { encodeNodeId } from '../graph/nodes.ts';
import type { Business } from './business.ts';
import type { RecordTimestamp } from './reading/changed-records.ts';
import { toEnumMember } from './reading/filters.ts';
import { loadRecord } from './record-resolvers.ts';
import type { RecordTypeDescriptor } from './record-type.ts';
import { recordTypes } from './records/index.ts';

/** The record types whose changes can be watched, by their members of `RecordType`. */
const watched: ReadonlyMap<RecordType, RecordTypeDescriptor> = new Map(
  recordTypes.flatMap((recordType) =>
    recordType.watched && recordType.names
      ? [[toEnumMember(recordType.names.one) as RecordType, recordType]]
      : [],
  ),
);

/** The members of `RecordType` by the names that their entity sets have in addresses. */
export const recordTypesByEntitySet: ReadonlyMap<string, RecordType> = new Map(
  [...watched].map(([member, { entitySet }]) => [entitySet, member]),
);

/** Reads records for the watchers of their changes, each time from the upstream. */
export function createRecordReader(business: Business) {
  const descriptorOf = (type: RecordType) => watched.get(type) as RecordTypeDescriptor;

  return {
    companyId: business.companyId,
    types: [...watched.keys()],

    nodeId(type: RecordType, companyId: string, id: string): string {
      return encodeNodeId(descriptorOf(type).type, [companyId, id]);
    },

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
        return record && { ...record, __typename: recordType.type };
      };
      return Promise.all(ids.map(load));
    },
  };
}
