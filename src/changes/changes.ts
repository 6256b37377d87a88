import type { RecordType } from '../generated/graphql.ts';
import { createFeed } from '../operations/feed.ts';
import { principalOf } from '../upstream/auth.ts';
import type { Polls } from './polls.ts';
import { type RecordReader, recordTypes, type Stamp } from './record-reader.ts';

/** A change as it is told: `record` is as it was read for this very watcher. */
export interface RecordChangeRecord extends Stamp {
  readonly type: RecordType;
  readonly change: 'CHANGED';
  readonly companyId: string;
  readonly record: object & { readonly recordType: RecordType };
}

/** What the resolvers of record changes work with: one for each request, with the caller's own token. */
export interface Changes {
  /** Every change from now on, until the watcher leaves. Throws `InputError` where no company is named. */
  follow(
    companyId: string | null | undefined,
    types: readonly RecordType[] | null | undefined,
  ): AsyncIterableIterator<RecordChangeRecord>;
}

/** What has changed and is not told yet, by its record: of two changes of one the later counts. */
type Pending = ReadonlyMap<string, Stamp & { readonly type: RecordType }>;

export function createChanges(polls: Polls, reader: RecordReader, token: string | null): Changes {
  return {
    follow(asked, types) {
      const companyId = reader.companyId(asked);
      const principal = principalOf(token ?? '');
      const leaves: (() => void)[] = [];
      const feed = createFeed<Pending>(
        () => {
          for (const leave of leaves) leave();
        },
        (waiting, news) => new Map([...waiting, ...news]),
      );
      for (const type of new Set(types ?? recordTypes)) {
        const tell = (stamps: readonly Stamp[]) =>
          feed.push(new Map(stamps.map((stamp) => [`${type} ${stamp.id}`, { ...stamp, type }])));
        leaves.push(polls.listen({ principal, companyId, type }, reader, { tell, fail: feed.fail }));
      }
      return read(feed.values, reader, companyId);
    },
  };
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
    const stamps = [...group.values()];
    const byType = recordTypes.map(async (type) => {
      const ofType = stamps.filter((stamp) => stamp.type === type);
      const records = await reader.read(
        type,
        companyId,
        ofType.map(({ id }) => id),
      );
      // What cannot be read is not told: it may be gone by now, or not for this watcher's eyes.
      return ofType.flatMap(({ id, lastModifiedDateTime }, index) => {
        const record = records[index];
        if (!record) return [];
        const change = { type, change: 'CHANGED' as const, companyId, id, lastModifiedDateTime };
        return [{ ...change, record: { ...record, recordType: type } }];
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
