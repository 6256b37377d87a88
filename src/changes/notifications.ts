import { z } from 'zod';
import { isUuid } from '../graph/scalars.ts';
import { parseMessage } from '../operations/bus.ts';
import { isJsonObject } from '../runtime/json.ts';
import type { ClientStates, SubscriptionTarget } from './upstream-subscriptions.ts';
import { parseResource, type WatchedSet } from './watched-sets.ts';

export type TargetedNotice = SubscriptionTarget & { readonly notice: Notice };

interface ParsedNotifications {
  /** The notices of the items before the first forged one. */
  readonly notices: readonly TargetedNotice[];
  /** Whether an item had a `clientState` other than that of its subscription. */
  readonly isForged: boolean;
  readonly unreadable: number;
}

const maxItems = 10_000;

/**
 * Parses the body of a notification request; null if it is invalid. Stops at the first forged `clientState`, since each
 * check takes an HMAC and anyone can send requests.
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

// The year 1 stands for a missing time.
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

/** Anything other than the change of a single record becomes `many`: the next poll finds out which records changed. */
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

function parseTimestamp(value: unknown): string | null {
  return typeof value === 'string' && timestampPattern.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : null;
}

const guidSchema = z.string().refine(isUuid);
const timeSchema = z.string().refine((text) => parseTimestamp(text) !== null);

/** Creates the parser of notices that another replica has shared. Returns no notices for an invalid message. */
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

/** A change that the upstream has notified: which record changed, but not its values. */
export type Notice = RecordNotice | ManyNotice;

export interface RecordNotice {
  readonly kind: 'created' | 'updated' | 'deleted';
  readonly id: string;
  /** The time of the change; null if the upstream does not name one. */
  readonly at: string | null;
}

/** More changes than the upstream lists individually; `since` is null if the upstream does not name a time. */
export interface ManyNotice {
  readonly kind: 'many';
  readonly since: string | null;
}

/** Returns the time of the first change of a notice; null if the upstream does not name one. */
export const noticeTime = (notice: Notice): string | null =>
  notice.kind === 'many' ? notice.since : notice.at;

const maxPending = 10_000;

/** Limits the notices that wait for the next read: beyond `maxPending`, one `many` notice with the earliest time replaces them. */
export function summarizeNotices(notices: readonly Notice[]): readonly Notice[] {
  if (notices.length <= maxPending) return notices;
  const times = notices.map(noticeTime).filter((time) => time !== null);
  return [{ kind: 'many', since: times.length > 0 ? times.reduce(earlierOf) : null }];
}

/** Returns the last notice of each record by id; a record that was created and then updated stays `created`. */
export function indexByRecord(notices: readonly Notice[]): ReadonlyMap<string, RecordNotice> {
  const records = new Map<string, RecordNotice>();
  for (const notice of notices) {
    if (notice.kind === 'many') continue;
    const isCreated = notice.kind === 'updated' && records.get(notice.id)?.kind === 'created';
    records.set(notice.id, isCreated ? { ...notice, kind: 'created' } : notice);
  }
  return records;
}

/** An instant before every change. */
export const epoch = '1970-01-01T00:00:00Z';

// A changed record may appear in reads this much later than a record that was changed after it.
const overlapMs = 10_000;

export const minusOverlap = (instant: string): string =>
  new Date(Math.max(0, Date.parse(instant) - overlapMs)).toISOString();

export const isEarlier = (left: string, right: string): boolean => Date.parse(left) < Date.parse(right);
export const laterOf = (left: string, right: string): string => (isEarlier(left, right) ? right : left);
export const earlierOf = (left: string, right: string): string => (isEarlier(left, right) ? left : right);
