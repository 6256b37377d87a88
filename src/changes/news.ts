import { LRUCache } from 'lru-cache';
import type { Notice } from './notifications.ts';
import type { Change, ChangeKind, RecordReader, Stamp } from './record-reader.ts';

/** What has happened to the records of one kind, as one principal may know it. */
export interface News {
  /**
   * What has changed since it was last asked, each change once; nothing at the first time, for what stands then is
   * no change. Everything told is read with the principal's own token. Throws `UpstreamError`.
   */
  next(): Promise<readonly Change[]>;
  /** What the upstream has told: where to look at the next time, and what to call it. */
  notice(notices: readonly Notice[]): void;
}

export interface NewsOptions {
  latest(): Promise<string | null>;
  since(instant: string): Promise<readonly Stamp[]>;
  read(ids: readonly string[]): ReturnType<RecordReader['read']>;
}

// Records may come to be seen later than others that were changed after them.
const overlapMs = 10_000;
const beginning = '1970-01-01T00:00:00Z';
const maxTold = 5_000;
// Of more than these, while the upstream cannot be read, only the time is kept.
const maxNotices = 10_000;

type Noticed = Extract<Notice, { readonly id: string }>;

export function createNews({ latest, since, read }: NewsOptions): News {
  let seen: ReadonlyMap<string, string> | null = null;
  let newest = beginning;
  // Before this everything stood at the beginning.
  let first = beginning;
  let notices: readonly Notice[] = [];
  // A notice may come long after its record was told.
  const told = new LRUCache<string, string>({ max: maxTold });

  const look = async (given: readonly Notice[]): Promise<readonly Change[]> => {
    if (seen === null) first = newest = (await latest()) ?? beginning;
    const late = given.filter((notice) => !isBefore(timeOf(notice) ?? newest, before(first)));
    const records = new Map<string, Noticed>();
    for (const notice of late) {
      if (notice.kind === 'many') continue;
      // What was made and then changed is still new to who has heard of neither.
      const isMade = notice.kind === 'updated' && records.get(notice.id)?.kind === 'created';
      records.set(notice.id, isMade ? { ...notice, kind: 'created' } : notice);
    }
    const many = late.filter(({ kind }) => kind === 'many').map((notice) => timeOf(notice) ?? newest);
    const window = before([newest, ...many].reduce(earlier));
    const stamps = await since(
      before(late.map((notice) => timeOf(notice) ?? newest).reduce(earlier, newest)),
    );
    const gone = await absent([...records.values()].filter(({ kind }) => kind === 'deleted'));

    const isNews = ({ id, lastModifiedDateTime: at }: Stamp) =>
      seen?.get(id) !== at && told.get(id) !== at && (records.has(id) || !isBefore(at, window));
    const changed = seen === null ? [] : stamps.filter(isNews);
    newest = stamps.reduce((last, { lastModifiedDateTime }) => later(last, lastModifiedDateTime), newest);
    const kept = stamps.filter(({ lastModifiedDateTime: at }) => !isBefore(at, before(newest)));
    seen = new Map(kept.map(({ id, lastModifiedDateTime }) => [id, lastModifiedDateTime]));
    for (const { id, lastModifiedDateTime } of changed) told.set(id, lastModifiedDateTime);
    return [
      ...changed.map((stamp) => ({ ...stamp, change: kinds[records.get(stamp.id)?.kind ?? 'other'] })),
      ...gone.map(({ id }) => ({ id, change: 'DELETED' as const, lastModifiedDateTime: null })),
    ];
  };

  /** Of what is said to be deleted, what this principal does not find either. */
  const absent = async (deleted: readonly Noticed[]): Promise<readonly Noticed[]> => {
    const fresh = deleted.filter(({ id, at }) => told.get(id) !== goneAt(at));
    if (fresh.length === 0) return [];
    const found = await read(fresh.map(({ id }) => id));
    const gone = fresh.filter((_notice, index) => found[index] === null);
    for (const { id, at } of gone) told.set(id, goneAt(at));
    return gone;
  };

  return {
    async next() {
      const given = notices;
      notices = [];
      try {
        return await look(given);
      } catch (error) {
        notices = bounded([...given, ...notices]);
        throw error;
      }
    },
    notice(more) {
      notices = bounded([...notices, ...more]);
    },
  };
}

// What is said to be deleted and still stands was made again, or never went.
const kinds = {
  created: 'CREATED',
  updated: 'UPDATED',
  deleted: 'CHANGED',
  other: 'CHANGED',
} as const satisfies Record<Noticed['kind'] | 'other', ChangeKind>;

function bounded(notices: readonly Notice[]): readonly Notice[] {
  if (notices.length <= maxNotices) return notices;
  const times = notices.map(timeOf).filter((time) => time !== null);
  return [{ kind: 'many', since: times.length > 0 ? times.reduce(earlier) : null }];
}

const goneAt = (at: string) => `gone ${at}`;
const timeOf = (notice: Notice) => (notice.kind === 'many' ? notice.since : notice.at);
const isBefore = (left: string, right: string) => Date.parse(left) < Date.parse(right);
const later = (left: string, right: string) => (isBefore(left, right) ? right : left);
const earlier = (left: string, right: string) => (isBefore(left, right) ? left : right);
const before = (instant: string) => new Date(Math.max(0, Date.parse(instant) - overlapMs)).toISOString();
