import { z } from 'zod';
import { isUuid } from '../graph/scalars.ts';
import { isJsonObject } from '../runtime/json.ts';
import type { ClientStates, SubscriptionTarget } from './client-state.ts';
import type { Notice } from './notices.ts';
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

const companyIdSchema = z.string().refine(isUuid);
const timeSchema = z.string().refine((text) => parseTimestamp(text) !== null);

/** Parses the notices that another replica has shared; empty for a message that none of this version sends. */
export function createSharedNoticesParser(
  sets: readonly WatchedSet[],
): (message: string) => readonly TargetedNotice[] {
  const ofType = new Map(sets.map((set) => [set.type, set]));
  const noticesSchema: z.ZodType<readonly TargetedNotice[]> = z
    .array(
      z
        .object({
          companyId: companyIdSchema,
          type: z.enum(sets.map(({ type }) => type)),
          notice: z.discriminatedUnion('kind', [
            z.object({
              kind: z.enum(['created', 'updated', 'deleted']),
              id: z.string(),
              at: timeSchema.nullable(),
            }),
            z.object({ kind: z.literal('many'), since: timeSchema.nullable() }),
          ]),
        })
        .refine(({ type, notice }) => notice.kind === 'many' || ofType.get(type)?.isId(notice.id) === true),
    )
    .max(maxItems);
  return (message) => {
    try {
      return noticesSchema.safeParse(JSON.parse(message)).data ?? [];
    } catch {
      return [];
    }
  };
}
