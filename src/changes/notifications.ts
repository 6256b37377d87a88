import { z } from 'zod';
import type { RecordType } from '../generated/graphql.ts';
import { isUuid } from '../graph/scalars.ts';
import { isObject } from '../upstream/json.ts';
import type { ClientStates, Target } from './client-state.ts';
import { recordTypes } from './record-reader.ts';

/** What an upstream says has happened; which record, but none of its values. */
export type Notice =
  | {
      readonly kind: 'created' | 'updated' | 'deleted';
      readonly id: string;
      readonly at: string;
    }
  /** More than can be told one by one. */
  | { readonly kind: 'many'; readonly since: string | null };

/** A notice with what it is about. */
export type TargetedNotice = Target & { readonly notice: Notice };

interface Read {
  /** What the items before the first forged one tell. */
  readonly notices: readonly TargetedNotice[];
  /** Whether an item did not have the `clientState` of its subscription: nothing behind it was read. */
  readonly isForged: boolean;
  /** How many items cannot be read. */
  readonly unreadable: number;
}

/** By the name of the entity set, as it stands in addresses. */
export type TypesBySet = ReadonlyMap<string, RecordType>;

const maxItems = 10_000;

/**
 * Reads the body of a notification; null where it is none. Items that cannot be read are counted. Each `clientState`
 * costs an HMAC to check, and anyone can send one: reading ends with the first that is wrong.
 */
export function readNotifications(text: string, types: TypesBySet, clientStates: ClientStates): Read | null {
  const items = itemsOf(text);
  if (items === null) return null;
  const notices: TargetedNotice[] = [];
  let unreadable = 0;
  for (const item of items) {
    const read = readItem(item, types);
    if (read === null) {
      unreadable += 1;
      continue;
    }
    const { companyId, type, notice, clientState } = read;
    if (!clientStates.isGenuine(read, clientState)) return { notices, isForged: true, unreadable };
    notices.push({ companyId, type, notice });
  }
  return { notices, isForged: false, unreadable };
}

function itemsOf(text: string): readonly unknown[] | null {
  try {
    const body: unknown = JSON.parse(text);
    if (!isObject(body) || !Array.isArray(body.value) || body.value.length > maxItems) return null;
    return body.value;
  } catch {
    return null;
  }
}

const maxResourceLength = 2_048;
const guid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
// Whatever host or root stands before it: it is only ever looked up below the configured one.
const resourceShape = new RegExp(
  `(?:^|/)companies\\((${guid})\\)/([A-Za-z]{1,100})(?:\\((${guid})\\))?(?:\\?([^?]*))?$`,
  'i',
);
const timeShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

function readItem(item: unknown, types: TypesBySet): (TargetedNotice & { clientState: string }) | null {
  if (!isObject(item)) return null;
  const { resource, clientState, changeType, lastModifiedDateTime } = item;
  if (typeof resource !== 'string' || typeof clientState !== 'string') return null;
  const target = readResource(resource, types);
  if (target === null) return null;
  const { companyId, type, id, query } = target;
  const notice = readNotice(changeType, id, query, lastModifiedDateTime);
  return notice && { companyId, type, clientState, notice };
}

function readNotice(
  kind: unknown,
  id: string | null,
  query: string | null,
  lastModified: unknown,
): Notice | null {
  if (kind === 'collection') return id === null ? { kind: 'many', since: readSince(query) } : null;
  if (kind !== 'created' && kind !== 'updated' && kind !== 'deleted') return null;
  const at = readTime(lastModified);
  return id === null || query !== null || at === null ? null : { kind, id, at };
}

/** A resource of a notification or a subscription: whose records, and which one where it is one. */
export function readResource(resource: string, types: TypesBySet) {
  if (resource.length > maxResourceLength) return null;
  const [, companyId = '', set = '', id, query] = resourceShape.exec(resource) ?? [];
  const type = types.get(set);
  if (type === undefined) return null;
  return {
    companyId: companyId.toLowerCase(),
    type,
    id: id?.toLowerCase() ?? null,
    query: query ?? null,
  };
}

// The documentation of the real service misspells the column, so its name is not looked at.
function readSince(query: string | null): string | null {
  const filter = new URLSearchParams(query ?? '').get('$filter') ?? '';
  return readTime(/^\w+ g[te] (\S+)$/.exec(filter)?.[1]);
}

function readTime(value: unknown): string | null {
  return typeof value === 'string' && timeShape.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : null;
}

const id = z.string().refine(isUuid);
const time = z.string().refine((text) => readTime(text) !== null);
const toldNotices: z.ZodType<readonly TargetedNotice[]> = z
  .array(
    z.object({
      companyId: id,
      type: z.enum(recordTypes),
      notice: z.discriminatedUnion('kind', [
        z.object({ kind: z.enum(['created', 'updated', 'deleted']), id, at: time }),
        z.object({ kind: z.literal('many'), since: time.nullable() }),
      ]),
    }),
  )
  .max(maxItems);

/** What another replica has told; nothing where none of this version can have. */
export function readTold(message: string): readonly TargetedNotice[] {
  try {
    return toldNotices.safeParse(JSON.parse(message)).data ?? [];
  } catch {
    return [];
  }
}
