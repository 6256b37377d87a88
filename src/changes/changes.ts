import { InputError } from '../errors.ts';
import type { ChangedRecord, RecordType, Resolvers } from '../generated/graphql.ts';
import type { Access } from '../http/auth/access.ts';
import { flatMapAsyncIterator, toStreamItems, unwrapStreamItem } from '../runtime/async-iterators.ts';
import { createConflatedChannel } from '../runtime/conflated-channel.ts';
import type { ChangePoller, DetectedChange, RecordReader, TypedRecord } from './change-poller.ts';

declare module '../graph/context.ts' {
  interface Context {
    readonly changes: RecordChanges;
  }
}

/** A change with the record as this watcher's own token reads it; `record` is null where it was deleted. */
export interface RecordChangeRecord extends DetectedChange {
  readonly type: RecordType;
  readonly companyId: string;
  readonly recordNodeId: string;
  readonly record: TypedRecord | null;
}

/** What the resolvers of record changes work with: one for each GraphQL operation, with the caller's credentials. */
export interface RecordChanges {
  /**
   * Every change from now on, until the watcher leaves. Throws `InputError` where no company is known, and for too many
   * ids or none.
   */
  watch(wanted: WatchedRecords): AsyncIterableIterator<RecordChangeRecord>;
}

/** Which records are watched: those of all types, and with any id, where these are not given. */
export interface WatchedRecords {
  readonly companyId?: string | null | undefined;
  readonly types?: readonly RecordType[] | null | undefined;
  /** GUIDs in lower case. */
  readonly ids?: readonly string[] | null | undefined;
}

const maxIds = 100;

type TypedChange = DetectedChange & { readonly type: RecordType };

/** Changes that have not been read by the watcher yet, by type and id of the record. */
type PendingChanges = ReadonlyMap<string, TypedChange>;

export function createRecordChanges(
  poller: ChangePoller,
  reader: RecordReader,
  { principal }: Access,
): RecordChanges {
  return {
    watch({ companyId: wantedCompanyId, types, ids }) {
      const companyId = reader.companyId(wantedCompanyId);
      if (types?.length === 0)
        throw new InputError(
          '`types` is empty. Name one type at least, or omit it for the changes of all types.',
        );
      const isWatched = compileIds(ids);
      const unsubscribers: (() => void)[] = [];
      const unsubscribeAll = () => {
        for (const unsubscribe of unsubscribers) unsubscribe();
      };
      const channel = createConflatedChannel<PendingChanges>(unsubscribeAll, mergePending);
      // One type that cannot be read ends the stream, and with it the polls of the others.
      const onError = (error: unknown) => {
        unsubscribeAll();
        channel.fail(error);
      };
      for (const type of new Set(types ?? reader.types)) {
        const onChanges = (changes: readonly DetectedChange[]) => {
          const ofThese = changes.filter(isWatched);
          if (ofThese.length === 0) return;
          channel.push(new Map(ofThese.map((change) => [`${type} ${change.id}`, { ...change, type }])));
        };
        unsubscribers.push(poller.listen({ principal, companyId, type }, reader, { onChanges, onError }));
      }
      return flatMapAsyncIterator(channel.values, (pending) => readChanges(pending, reader, companyId));
    },
  };
}

/** Polls find the changes of all records of a type: those of others are dropped before their records are read. */
function compileIds(ids: WatchedRecords['ids']): (change: DetectedChange) => boolean {
  if (ids == null) return () => true;
  if (ids.length === 0 || ids.length > maxIds)
    throw new InputError(
      `\`ids\` has ${ids.length} ids; it must have 1 to ${maxIds}. Omit it for the changes of all records.`,
    );
  const wanted = new Set(ids);
  return ({ id }) => wanted.has(id.toLowerCase());
}

/** The later change of a record counts, but one that was created since the watcher last read stays so. */
function mergePending(pending: PendingChanges, next: PendingChanges): PendingChanges {
  const merged = new Map(pending);
  for (const [key, change] of next) {
    const isCreated = pending.get(key)?.change === 'CREATED' && change.change !== 'DELETED';
    merged.set(key, isCreated ? { ...change, change: 'CREATED' } : change);
  }
  return merged;
}

/** Reads the records of all pending changes: one read for the ids of each type, all types in parallel. */
async function readChanges(
  pending: PendingChanges,
  reader: RecordReader,
  companyId: string,
): Promise<RecordChangeRecord[]> {
  const byType = reader.types.map(async (type) => {
    const changes = [...pending.values()].filter((change) => change.type === type);
    const ids = changes.filter(({ change }) => change !== 'DELETED').map(({ id }) => id);
    const records = await reader.read(type, companyId, ids);
    const byId = new Map(ids.map((id, index) => [id, records[index] ?? null]));
    return changes.flatMap((detected): RecordChangeRecord[] => {
      const change = { ...detected, companyId, recordNodeId: reader.nodeId(type, companyId, detected.id) };
      if (change.change === 'DELETED') return [{ ...change, record: null }];
      const record = byId.get(change.id);
      // A record that cannot be read any more may have been deleted, or this watcher may not read it.
      return record ? [{ ...change, record }] : [];
    });
  });
  return (await Promise.all(byType)).flat();
}

type TypeName = NonNullable<ChangedRecord['__typename']>;

export const recordChangeResolvers: Resolvers = {
  Subscription: {
    recordChanged: {
      subscribe: (_root, wanted, { changes }) => toStreamItems(changes.watch(wanted)),
      resolve: unwrapStreamItem<RecordChangeRecord>,
    },
  },
  ChangedRecord: {
    __resolveType: (record) => (record as unknown as TypedRecord).__typename as TypeName,
  },
};
