import type { RecordType } from '../generated/graphql.ts';
import { createFeed } from '../operations/feed.ts';
import type { Access } from '../upstream/access.ts';
import type { Polls } from './polls.ts';
import { type Change, type RecordReader, recordTypes } from './record-reader.ts';

/** A change as it is told: `record` is as it was read for this very watcher, null where it is gone. */
export interface RecordChangeRecord extends Change {
  readonly type: RecordType;
  readonly companyId: string;
  readonly record: (object & { readonly recordType: RecordType }) | null;
}

/** What the resolvers of record changes work with: one for each request, in the caller's name. */
export interface Changes {
  /** Every change from now on, until the watcher leaves. Throws `InputError` where no company is named. */
  follow(
    companyId: string | null | undefined,
    types: readonly RecordType[] | null | undefined,
  ): AsyncIterableIterator<RecordChangeRecord>;
}

/** What has changed and is not told yet, by its record. */
type Pending = ReadonlyMap<string, Change & { readonly type: RecordType }>;

export function createChanges(polls: Polls, reader: RecordReader, access: Access): Changes {
  return {
    follow(asked, types) {
      const companyId = reader.companyId(asked);
      const principal = access.principal;
      const leaves: (() => void)[] = [];
      const leaveAll = () => {
        for (const leave of leaves) leave();
      };
      const feed = createFeed<Pending>(leaveAll, merge);
      // One kind that cannot be read ends the stream: nobody reads what the others would tell.
      const fail = (error: unknown) => {
        leaveAll();
        feed.fail(error);
      };
      for (const type of new Set(types ?? recordTypes)) {
        const tell = (news: readonly Change[]) =>
          feed.push(new Map(news.map((change) => [`${type} ${change.id}`, { ...change, type }])));
        leaves.push(polls.listen({ principal, companyId, type }, reader, { tell, fail }));
      }
      return read(feed.values, reader, companyId);
    },
  };
}

/** Of two changes of one record the later counts; to whom it was not told yet, what was made is still new. */
function merge(waiting: Pending, news: Pending): Pending {
  const merged = new Map(waiting);
  for (const [key, next] of news) {
    const isNew = waiting.get(key)?.change === 'CREATED' && next.change !== 'DELETED';
    merged.set(key, isNew ? { ...next, change: 'CREATED' } : next);
  }
  return merged;
}

/** The changes one by one, each with its record, read together for all that are waiting. */
function read(
  groups: AsyncIterableIterator<Pending>,
  reader: RecordReader,
  companyId: string,
): AsyncIterableIterator<RecordChangeRecord> {
  let ready: RecordChangeRecord[] = [];
  let isOver = false;
  const over = { done: true, value: undefined } as const;

  const readGroup = async (group: Pending): Promise<RecordChangeRecord[]> => {
    const byType = recordTypes.map(async (type) => {
      const ofType = [...group.values()].filter((change) => change.type === type);
      const standing = ofType.filter(({ change }) => change !== 'DELETED');
      const ids = standing.map(({ id }) => id);
      const records = await reader.read(type, companyId, ids);
      const byId = new Map(ids.map((id, index) => [id, records[index] ?? null]));
      return ofType.flatMap((change): RecordChangeRecord[] => {
        if (change.change === 'DELETED') return [{ ...change, companyId, record: null }];
        const record = byId.get(change.id);
        // What cannot be read is not told: it may be gone by now, or not for this watcher's eyes.
        return record ? [{ ...change, companyId, record: { ...record, recordType: type } }] : [];
      });
    });
    return (await Promise.all(byType)).flat();
  };

  return {
    async next() {
      try {
        while (ready.length === 0 && !isOver) {
          const { done, value } = await groups.next();
          if (done) return over;
          ready = await readGroup(value);
        }
      } catch (error) {
        isOver = true;
        await groups.return?.();
        throw error;
      }
      const value = isOver ? undefined : ready.shift();
      return value ? { done: false, value } : over;
    },
    async return() {
      isOver = true;
      await groups.return?.();
      return over;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
