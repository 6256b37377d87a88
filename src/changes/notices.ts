import { earlierOf } from './timestamps.ts';

/** What a notification of the upstream says has happened: which record changed, but none of its values. */
export type Notice = RecordNotice | ManyNotice;

export interface RecordNotice {
  readonly kind: 'created' | 'updated' | 'deleted';
  readonly id: string;
  /** Null where the upstream does not say when. */
  readonly at: string | null;
}

/** More changes than the upstream lists one by one; `since` is null where it does not say since when. */
export interface ManyNotice {
  readonly kind: 'many';
  readonly since: string | null;
}

/** When the changes of a notice began; null where the upstream does not say. */
export const noticeTime = (notice: Notice): string | null =>
  notice.kind === 'many' ? notice.since : notice.at;

/** Notices that wait for the next poll. */
export interface PendingNotices {
  add(notices: readonly Notice[]): void;
  /** Removes and returns all of them. */
  take(): readonly Notice[];
  /** Puts back what was taken, in front of what came since. */
  restore(taken: readonly Notice[]): void;
}

// Above this, while the upstream cannot be read, only the earliest time is kept.
const maxPending = 10_000;

export function createPendingNotices(): PendingNotices {
  let pending: readonly Notice[] = [];
  const set = (notices: readonly Notice[]) => {
    pending = notices.length > maxPending ? [summarize(notices)] : notices;
  };
  return {
    add: (notices) => set([...pending, ...notices]),
    take() {
      const taken = pending;
      pending = [];
      return taken;
    },
    restore: (taken) => set([...taken, ...pending]),
  };
}

function summarize(notices: readonly Notice[]): ManyNotice {
  const times = notices.map(noticeTime).filter((time) => time !== null);
  return { kind: 'many', since: times.length > 0 ? times.reduce(earlierOf) : null };
}

/** The notice of each record by its id; one that was created and then updated counts as created. */
export function byRecord(notices: readonly Notice[]): ReadonlyMap<string, RecordNotice> {
  const records = new Map<string, RecordNotice>();
  for (const notice of notices) {
    if (notice.kind === 'many') continue;
    const isCreated = notice.kind === 'updated' && records.get(notice.id)?.kind === 'created';
    records.set(notice.id, isCreated ? { ...notice, kind: 'created' } : notice);
  }
  return records;
}
