import { LRUCache } from 'lru-cache';
import type { RecordType } from '../generated/graphql.ts';
import type { Poll } from '../operations/follow.ts';
import {
  earlierOf,
  epoch,
  indexByRecord,
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

/** The id of a record and the time of its last change. */
export interface ModifiedRecord {
  readonly id: string;
  readonly lastModifiedDateTime: string;
}

/** A record with the name of its type in the graph. */
export type TypedRecord = object & { readonly __typename: string };

/** Reads business records for this folder, with the token of one watcher. */
export interface RecordReader {
  /** Returns the given company, or the default of this deployment. Throws `InputError` if there is neither. */
  companyId(id: string | null | undefined): string;
  readonly types: readonly RecordType[];
  /** Returns the `nodeId` of a record, which need not exist. */
  nodeId(type: RecordType, companyId: string, id: string): string;
  /** Returns the time on the upstream's clock, which stamps the changes. */
  now(): string;
  /** Reads the time of the latest change of a record type; null without records. Throws `UpstreamError`. */
  latest(type: RecordType, companyId: string): Promise<string | null>;
  /** Reads every record changed at `instant` or later. Throws `UpstreamError`. */
  since(type: RecordType, companyId: string, instant: string): Promise<readonly ModifiedRecord[]>;
  /** Reads the current records with these ids, in order; null for a missing one. Throws `UpstreamError`. */
  read(type: RecordType, companyId: string, ids: readonly string[]): Promise<readonly (TypedRecord | null)[]>;
}

/** How a record changed; `CHANGED` if it is unknown whether it was created or updated. */
export type ChangeKind = 'CREATED' | 'UPDATED' | 'DELETED' | 'CHANGED';

/** A change to report; `lastModifiedDateTime` is null for a deleted record. */
export interface DetectedChange {
  readonly id: string;
  readonly change: ChangeKind;
  readonly lastModifiedDateTime: string | null;
}

/** Changes by record id. */
export type DetectedChanges = ReadonlyMap<string, DetectedChange>;

/**
 * Merges changes by record. The later change wins, but a record that was created among the unread changes stays
 * `CREATED`.
 */
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
  /** Changes before this are not reported: they happened before the poll started. */
  readonly start: string;
  /** The latest change that was read, or the time of the read if a record is stamped later than that. */
  readonly newest: string;
  /** The last change, by id, of the records that the next poll reads again because polls overlap. */
  readonly seen: ReadonlyMap<string, string>;
}

// Reported changes are remembered, since a notice may arrive long after a poll has found its change.
const maxReported = 5_000;

export interface ChangePollOptions {
  readonly pollMs: number;
  /** While webhooks are active, each notification triggers a read, and regular polls are rare; null without webhooks. */
  readonly webhooks: ChangeWebhooks | null;
}

/**
 * Polls for the changes of one record type in a company that one principal may read. Each read returns every change since
 * the last read once; the first read returns the changes since the poll started. Every change is confirmed by a read with
 * the principal's own token. After a failed read, the next one covers its time, too.
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
    // Records that are stamped ahead of the clock are not new.
    const seen = isEarlier(from, latest) ? await readChangedSince(from) : [];
    return { start: from, newest: from, seen: timesById(seen) };
  };

  const detect = async (given: readonly Notice[]): Promise<readonly DetectedChange[]> => {
    const isFirst = progress === null;
    const { start: from, newest, seen } = progress ?? (await start());
    const timeOf = (notice: Notice) => noticeTime(notice) ?? newest;
    const notices = given.filter((notice) => !isEarlier(timeOf(notice), minusOverlap(from)));
    const noticesById = indexByRecord(notices);
    const timesOfMany = notices.filter(({ kind }) => kind === 'many').map(timeOf);
    // A change before this is reported only if a notice names its record.
    const reportedFrom = minusOverlap(timesOfMany.reduce(earlierOf, newest));
    const readAt = reader.now();
    const modified = await readChangedSince(minusOverlap(notices.map(timeOf).reduce(earlierOf, newest)));
    const deleted = await confirmDeleted([...noticesById.values()].filter(({ kind }) => kind === 'deleted'));

    const isChanged = ({ id, lastModifiedDateTime: at }: ModifiedRecord) =>
      seen.get(id) !== at && reported.get(id) !== at && (noticesById.has(id) || !isEarlier(at, reportedFrom));
    // On the first poll: changes between its two reads.
    const isChangedSinceStart = ({ id, lastModifiedDateTime: at }: ModifiedRecord) =>
      isEarlier(from, at) && seen.get(id) !== at;
    const changed = modified.filter(isFirst ? isChangedSinceStart : isChanged);
    for (const { id, lastModifiedDateTime } of changed) reported.set(id, lastModifiedDateTime);
    progress = advance(from, newest, modified, readAt);
    return [
      ...changed.map((record) => ({
        ...record,
        change: changeKinds[noticesById.get(record.id)?.kind ?? 'unnoticed'],
      })),
      ...deleted.map(({ id }) => ({ id, change: 'DELETED' as const, lastModifiedDateTime: null })),
    ];
  };

  /** Returns the notices of deletions whose records this principal can no longer read. */
  const confirmDeleted = async (notices: readonly RecordNotice[]): Promise<readonly RecordNotice[]> => {
    const unreported = notices.filter(({ id, at }) => reported.get(id) !== deletionMark(at));
    if (unreported.length === 0) return [];
    const ids = unreported.map(({ id }) => id);
    const found = await reader.read(type, companyId, ids);
    const gone = unreported.filter((_notice, index) => found[index] === null);
    for (const { id, at } of gone) reported.set(id, deletionMark(at));
    return gone;
  };

  const unsubscribe = webhooks?.listen(
    { companyId, type },
    {
      onActiveChange(isActive) {
        areWebhooksActive = isActive;
        // Find the changes of the time without notifications.
        trigger();
      },
      onNotices(notices) {
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
  // The record still exists: it was created again or not deleted.
  deleted: 'CHANGED',
  unnoticed: 'CHANGED',
} as const satisfies Record<RecordNotice['kind'] | 'unnoticed', ChangeKind>;

/** The entry of a deletion among the reported changes. */
const deletionMark = (at: string | null) => `gone ${at}`;
