import { LRUCache } from 'lru-cache';
import type { RecordType } from '../generated/graphql.ts';
import type { Poll } from '../operations/follow.ts';
import {
  byRecord,
  earlierOf,
  epoch,
  isEarlier,
  laterOf,
  minusOverlap,
  type Notice,
  noticeTime,
  type RecordNotice,
  summarizeNotices,
} from './notifications.ts';
import type { SubscriptionTarget } from './upstream-subscriptions.ts';
import { activePollFactor, type ChangeWebhooks } from './webhooks.ts';

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

/** What changed, by the ids of the records. */
export type DetectedChanges = ReadonlyMap<string, DetectedChange>;

/** The later change of a record counts, but one that was created since a watcher last took changes stays so. */
export function mergeChanges(unread: DetectedChanges, next: DetectedChanges): DetectedChanges {
  const merged = new Map(unread);
  for (const [id, change] of next) {
    const isCreated = unread.get(id)?.change === 'CREATED' && change.change !== 'DELETED';
    merged.set(id, isCreated ? { ...change, change: 'CREATED' } : change);
  }
  return merged;
}

/** How far changes have been reported. */
interface Progress {
  /** Of changes before this nothing is reported: they were there when the poll started. */
  readonly start: string;
  /** The latest change that was read; never ahead of the clock, where a record may be stamped that hides no other. */
  readonly newest: string;
  /** When the records last changed that will be read again because the polls overlap; by id. */
  readonly seen: ReadonlyMap<string, string>;
}

// Changes that were reported before, since a notice may come long after a poll has found its change.
const maxReported = 5_000;

export interface ChangePollOptions {
  readonly pollMs: number;
  /** While the upstream sends notifications, a read follows each of them, and regular reads are rare. */
  readonly webhooks: ChangeWebhooks | null;
}

/**
 * Polls for the changes of the records of one type in a company, as one principal may read them: those since the last
 * read, each once; at the first, those since it found out where to start. Every change was confirmed by a read with the
 * principal's own token. Where a read fails, the next covers its time, too.
 */
export function createChangePoll(
  { companyId, type }: SubscriptionTarget,
  reader: RecordReader,
  { pollMs, webhooks }: ChangePollOptions,
  trigger: () => void,
): Poll<DetectedChanges> {
  let pending: readonly Notice[] = [];
  const reported = new LRUCache<string, string>({ max: maxReported });
  let progress: Progress | null = null;
  let areWebhooksActive = false;
  const readChangedSince = (instant: string) => reader.since(type, companyId, instant);

  const start = async (): Promise<Progress> => {
    const latest = (await reader.latest(type, companyId)) ?? epoch;
    const from = earlierOf(latest, reader.now());
    // What is stamped ahead of the clock is there already.
    const seen = isEarlier(from, latest) ? await readChangedSince(from) : [];
    return { start: from, newest: from, seen: timesById(seen) };
  };

  const detect = async (given: readonly Notice[]): Promise<readonly DetectedChange[]> => {
    const isFirst = progress === null;
    const { start: from, newest, seen } = progress ?? (await start());
    const timeOf = (notice: Notice) => noticeTime(notice) ?? newest;
    const notices = given.filter((notice) => !isEarlier(timeOf(notice), minusOverlap(from)));
    const records = byRecord(notices);
    const ofMany = notices.filter(({ kind }) => kind === 'many').map(timeOf);
    // Of what changed before this, only the records that a notice names are reported.
    const reportedFrom = minusOverlap(ofMany.reduce(earlierOf, newest));
    const readAt = reader.now();
    const modified = await readChangedSince(minusOverlap(notices.map(timeOf).reduce(earlierOf, newest)));
    const deleted = await confirmDeleted([...records.values()].filter(({ kind }) => kind === 'deleted'));

    const isChanged = ({ id, lastModifiedDateTime: at }: ModifiedRecord) =>
      seen.get(id) !== at && reported.get(id) !== at && (records.has(id) || !isEarlier(at, reportedFrom));
    // A change between the two reads of the first poll is one, too.
    const isLater = ({ id, lastModifiedDateTime: at }: ModifiedRecord) =>
      isEarlier(from, at) && seen.get(id) !== at;
    const changed = modified.filter(isFirst ? isLater : isChanged);
    for (const { id, lastModifiedDateTime } of changed) reported.set(id, lastModifiedDateTime);
    progress = advance(from, newest, modified, readAt);
    return [
      ...changed.map((record) => ({
        ...record,
        change: changeKinds[records.get(record.id)?.kind ?? 'unnoticed'],
      })),
      ...deleted.map(({ id }) => ({ id, change: 'DELETED' as const, lastModifiedDateTime: null })),
    ];
  };

  /** Of the records that are said to be deleted, those that this principal cannot read any more. */
  const confirmDeleted = async (notices: readonly RecordNotice[]): Promise<readonly RecordNotice[]> => {
    const unreported = notices.filter(({ id, at }) => reported.get(id) !== deletionMark(at));
    if (unreported.length === 0) return [];
    const found = await reader.read(
      type,
      companyId,
      unreported.map(({ id }) => id),
    );
    const gone = unreported.filter((_notice, index) => found[index] === null);
    for (const { id, at } of gone) reported.set(id, deletionMark(at));
    return gone;
  };

  const unsubscribe = webhooks?.listen(
    { companyId, type },
    {
      onActiveChange(isActive) {
        areWebhooksActive = isActive;
        // Finds what changed while no notifications were sent.
        trigger();
      },
      onNotices(notices) {
        // They widen the next read to the records they name, and say whether those were created, updated or deleted.
        pending = summarizeNotices([...pending, ...notices]);
        trigger();
      },
    },
  );

  return {
    async read() {
      const notices = pending;
      pending = [];
      try {
        const changes = await detect(notices);
        return {
          value: changes.length > 0 ? new Map(changes.map((change) => [change.id, change])) : null,
          waitMs: areWebhooksActive ? pollMs * activePollFactor : pollMs,
        };
      } catch (error) {
        pending = summarizeNotices([...notices, ...pending]);
        throw error;
      }
    },
    onStop: unsubscribe,
  };
}

function advance(
  start: string,
  before: string,
  modified: readonly ModifiedRecord[],
  readAt: string,
): Progress {
  const latest = modified.map(({ lastModifiedDateTime }) => lastModifiedDateTime).reduce(laterOf, before);
  const newest = earlierOf(latest, readAt);
  const readAgain = modified.filter(
    (record) => !isEarlier(record.lastModifiedDateTime, minusOverlap(newest)),
  );
  return { start, newest, seen: timesById(readAgain) };
}

const timesById = (records: readonly ModifiedRecord[]): ReadonlyMap<string, string> =>
  new Map(records.map(({ id, lastModifiedDateTime }) => [id, lastModifiedDateTime]));

const changeKinds = {
  created: 'CREATED',
  updated: 'UPDATED',
  // The record is still there: it was created again, or not deleted after all.
  deleted: 'CHANGED',
  unnoticed: 'CHANGED',
} as const satisfies Record<RecordNotice['kind'] | 'unnoticed', ChangeKind>;

/** How the deletion of a record is remembered, beside the times of its changes. */
const deletionMark = (at: string | null) => `gone ${at}`;
