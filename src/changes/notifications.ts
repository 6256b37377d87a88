import { z } from 'zod';
import { isUuid } from '../graph/scalars.ts';
import { parseMessage } from '../operations/bus.ts';
import { isJsonObject } from '../runtime/json.ts';
import type { ClientStates, SubscriptionTarget } from './upstream-subscriptions.ts';
import { parseResource, type WatchedSet } from './watched-sets.ts';

export type TargetedNotice = SubscriptionTarget & { readonly notice: Notice };

interface ParsedNotifications {
  /** Of the items before the first forged one. */
  readonly notices: readonly TargetedNotice[];
  /** Whether an item did not have the `clientState` of its subscription. No item after it was read. */
  readonly isForged: boolean;
  /** How many items were not understood. */
  readonly unreadable: number;
}

const maxItems = 10_000;

/**
 * Parses the body of a notification; null for one that is none. Parsing stops at the first forged `clientState`: each
 * costs an HMAC to check, and anyone can send them.
 */
export function parseNotifications(
  text: string,
  sets: readonly WatchedSet[],
  clientStates: ClientStates,
): ParsedNotifications | null {
  const items = parseItems(text);
  if (items === null) return null;
  const notices: TargetedNotice[] = [];
  let unreadable = 0;
  for (const item of items) {
    const parsed = parseItem(item, sets);
    if (parsed === null) {
      unreadable += 1;
      continue;
    }
    const { companyId, type, notice, clientState } = parsed;
    if (!clientStates.isGenuine(parsed, clientState)) return { notices, isForged: true, unreadable };
    notices.push({ companyId, type, notice });
  }
  return { notices, isForged: false, unreadable };
}

function parseItems(text: string): readonly unknown[] | null {
  try {
    const body: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (!isJsonObject(body) || !Array.isArray(body.value) || body.value.length > maxItems) return null;
    return body.value;
  } catch {
    return null;
  }
}

// The year 1 means that there is no time.
const timestampPattern = /^(?!0001)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

function parseItem(
  item: unknown,
  sets: readonly WatchedSet[],
): (TargetedNotice & { clientState: string }) | null {
  if (!isJsonObject(item)) return null;
  const { resource, clientState, changeType, lastModifiedDateTime } = item;
  if (typeof resource !== 'string' || typeof clientState !== 'string') return null;
  const target = parseResource(resource, sets);
  if (target === null) return null;
  const { companyId, type, id, query } = target;
  return { companyId, type, clientState, notice: parseNotice(changeType, id, query, lastModifiedDateTime) };
}

/** Any other change than that of one record, known or not, makes the next poll find out what has changed. */
function parseNotice(
  changeType: unknown,
  id: string | null,
  query: string | null,
  lastModified: unknown,
): Notice {
  const kind = typeof changeType === 'string' ? changeType.toLowerCase() : null;
  return id !== null && query === null && (kind === 'created' || kind === 'updated' || kind === 'deleted')
    ? { kind, id, at: parseTimestamp(lastModified) }
    : { kind: 'many', since: parseSinceFilter(query) };
}

// Accepts any column name: the documentation of the real service misspells it.
function parseSinceFilter(query: string | null): string | null {
  const filter = new URLSearchParams(query ?? '').get('$filter') ?? '';
  return parseTimestamp(/^\w+ g[te] (\S+)$/.exec(filter)?.[1]);
}

/** Null for what is no time: a poll then finds out what has changed. */
function parseTimestamp(value: unknown): string | null {
  return typeof value === 'string' && timestampPattern.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : null;
}

const guidSchema = z.string().refine(isUuid);
const timeSchema = z.string().refine((text) => parseTimestamp(text) !== null);

/** Parses the notices that another replica has shared; empty for a message that none of this version sends. */
export function createSharedNoticesParser(
  sets: readonly WatchedSet[],
): (message: string) => readonly TargetedNotice[] {
  const noticesSchema: z.ZodType<readonly TargetedNotice[]> = z
    .array(
      z.object({
        companyId: guidSchema,
        type: z.enum(sets.map(({ type }) => type)),
        notice: z.discriminatedUnion('kind', [
          z.object({
            kind: z.enum(['created', 'updated', 'deleted']),
            id: guidSchema,
            at: timeSchema.nullable(),
          }),
          z.object({ kind: z.literal('many'), since: timeSchema.nullable() }),
        ]),
      }),
    )
    .max(maxItems);
  return (message) => parseMessage(noticesSchema, message) ?? [];
}

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

// Above this, while the upstream cannot be read, only the earliest time is kept.
const maxPending = 10_000;

/** Notices that wait for the next read: all of them, or one that stands for too many. */
export function summarizeNotices(notices: readonly Notice[]): readonly Notice[] {
  if (notices.length <= maxPending) return notices;
  const times = notices.map(noticeTime).filter((time) => time !== null);
  return [{ kind: 'many', since: times.length > 0 ? times.reduce(earlierOf) : null }];
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

/** The start of time: an instant before every change. */
export const epoch = '1970-01-01T00:00:00Z';

// Records may appear in reads later than others that were changed after them.
const overlapMs = 10_000;

/** An instant as far back as a record changed since may not have appeared in reads yet. */
export const minusOverlap = (instant: string): string =>
  new Date(Math.max(0, Date.parse(instant) - overlapMs)).toISOString();

export const isEarlier = (left: string, right: string): boolean => Date.parse(left) < Date.parse(right);
export const laterOf = (left: string, right: string): string => (isEarlier(left, right) ? right : left);
export const earlierOf = (left: string, right: string): string => (isEarlier(left, right) ? left : right);
