import { InputError } from '../errors.ts';
import type { ChangedRecord, RecordType, Resolvers } from '../generated/graphql.ts';
import type { Access } from '../http/auth/access.ts';
import type { Follow } from '../operations/follow.ts';
import {
  flatMapAsyncIterator,
  mergeAsyncIterators,
  toStreamItems,
  unwrapStreamItem,
} from '../runtime/async-iterators.ts';
import {
  type ChangePollOptions,
  createChangePoll,
  type DetectedChange,
  type DetectedChanges,
  type RecordReader,
  type TypedRecord,
} from './change-poll.ts';
import type { SubscriptionTarget } from './upstream-subscriptions.ts';

declare module '../graph/context.ts' {
  interface Context {
    readonly changes: RecordChanges;
  }
}

/** A change with the record as this watcher's own token reads it; `record` is null if it was deleted. */
export interface RecordChangeRecord extends DetectedChange {
  readonly type: RecordType;
  readonly companyId: string;
  readonly recordNodeId: string;
  readonly record: TypedRecord | null;
}

/** The data source of the record change resolvers. One per GraphQL operation, with the caller's credentials. */
export interface RecordChanges {
  /**
   * Yields the changes from now on, until the watcher leaves. Unread changes of one record are merged. Throws
   * `InputError` if no company is known, `types` is empty, or `ids` is empty or too long.
   */
  watch(wanted: WatchedRecords): AsyncIterableIterator<RecordChangeRecord>;
}

/** Which records are watched. Without `types` those of all types, without `ids` those with any id. */
export interface WatchedRecords {
  readonly companyId?: string | null | undefined;
  readonly types?: readonly RecordType[] | null | undefined;
  /** GUIDs in lower case. */
  readonly ids?: readonly string[] | null | undefined;
}

const maxIds = 100;

export interface RecordChangesOptions extends ChangePollOptions {
  readonly follow: Follow<DetectedChanges>;
}

export function createRecordChanges(
  options: RecordChangesOptions,
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
      const isWatched = createIdFilter(ids);
      // A type that cannot be read ends the stream, and with it the polls of the other types.
      return mergeAsyncIterators(
        [...new Set(types ?? reader.types)].map((type) => {
          const target = { companyId, type };
          const key = JSON.stringify([principal, companyId, type]);
          const changes = options.follow(key, (trigger) =>
            createChangePoll(target, reader, options, trigger),
          );
          return flatMapAsyncIterator(changes, (detected) =>
            readChanges([...detected.values()].filter(isWatched), target, reader),
          );
        }),
      );
    },
  };
}

/** Polls find the changes of all records of a type. This filter drops those of other ids before their records are read. */
function createIdFilter(ids: WatchedRecords['ids']): (change: DetectedChange) => boolean {
  if (ids == null) return () => true;
  if (ids.length === 0 || ids.length > maxIds)
    throw new InputError(
      `\`ids\` has ${ids.length} ids; it must have 1 to ${maxIds}. Omit it for the changes of all records.`,
    );
  const wanted = new Set(ids);
  return ({ id }) => wanted.has(id.toLowerCase());
}

/** Reads the records of changes together; deleted ones are not read. */
async function readChanges(
  detected: readonly DetectedChange[],
  target: SubscriptionTarget,
  reader: RecordReader,
): Promise<RecordChangeRecord[]> {
  const { companyId, type } = target;
  const ids = detected.filter(({ change }) => change !== 'DELETED').map(({ id }) => id);
  const records = await reader.read(type, companyId, ids);
  const byId = new Map(ids.map((id, index) => [id, records[index] ?? null]));
  return detected.flatMap((detectedChange): RecordChangeRecord[] => {
    const { id } = detectedChange;
    const change = { ...detectedChange, ...target, recordNodeId: reader.nodeId(type, companyId, id) };
    if (change.change === 'DELETED') return [{ ...change, record: null }];
    const record = byId.get(id);
    // A record that cannot be read was deleted meanwhile, or this watcher may not read it.
    return record ? [{ ...change, record }] : [];
  });
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
