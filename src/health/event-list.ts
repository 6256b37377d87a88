import { hash } from 'node:crypto';
import { filterRows } from '../graph/rows/row-filter.ts';
import { toSortableTime } from '../graph/rows/row-order.ts';
import type { Access } from '../http/auth/access.ts';
import type { UpstreamClient } from '../http/client.ts';
import { readListPages } from '../http/pagination.ts';
import type { Poll } from '../operations/follow.ts';
import { isJsonObject, stringOrNull } from '../runtime/json.ts';
import { buildEventsPath, type HealthApiSettings } from './event-address.ts';
import { type HealthEventRecord, parseEvent } from './event-record.ts';

export interface ListScope {
  /** Null for the tenant's events. */
  readonly subscriptionId: string | null;
  /** A `DateTime` of the graph; if null, the upstream decides how far back the list goes. */
  readonly since: string | null;
}

/**
 * Reads the plain records of all events of a list. An event that moves to a later page meanwhile is returned once. Throws
 * `UpstreamError`.
 */
export async function readEventList(
  client: UpstreamClient,
  { namespace, apiVersion }: Pick<HealthApiSettings, 'namespace' | 'apiVersion'>,
  access: Access,
  { subscriptionId, since }: ListScope,
): Promise<readonly HealthEventRecord[]> {
  const path = buildEventsPath(namespace, subscriptionId);
  const parameters = since === null ? '' : `&queryStartTime=${encodeURIComponent(formatDay(since))}`;
  const list = { upstream: 'health', path, apiVersion, parameters, content: 'events' } as const;
  const events = new Map<string, HealthEventRecord>();
  for await (const { rows } of readListPages(client, list, access)) {
    for (const row of rows) {
      const trackingId = parseTrackingId(row);
      const event = trackingId === null ? null : parseEvent({ trackingId, subscriptionId }, row, true);
      if (event && !events.has(event.trackingId)) events.set(event.trackingId, event);
    }
  }
  // The upstream compares days only.
  return since === null
    ? [...events.values()]
    : [...events.values()].filter((event) => isUpdatedSince(event, since));
}

// No field of an event is required. An event without a name is left out: it could not be read again.
const parseTrackingId = (row: unknown): string | null =>
  isJsonObject(row)
    ? (stringOrNull(row.name) ?? stringOrNull(stringOrNull(row.id)?.split('/').at(-1)))
    : null;

const isUpdatedSince = ({ lastUpdateTime }: HealthEventRecord, since: string) =>
  lastUpdateTime === null || toSortableTime(lastUpdateTime) >= toSortableTime(since);

// The real service expects month/day/year without leading zeros.
function formatDay(instant: string): string {
  const [year, month, day] = instant.slice(0, 10).split('-').map(Number);
  return `${month}/${day}/${year}`;
}

/** New or changed events of a list, by tracking id. */
export type ChangedEvents = ReadonlyMap<string, HealthEventRecord>;

export const mergeChangedEvents = (unread: ChangedEvents, next: ChangedEvents): ChangedEvents =>
  new Map([...unread, ...next]);

// Events that are no longer listed are remembered, so that one that is listed again is reported only if it has changed.
const maxUnlisted = 1_000;

/** Polls a list for events that are new or have changed. The first read reports none. */
export function createEventListPoll(
  principal: string,
  readList: () => Promise<readonly HealthEventRecord[]>,
): Poll<ChangedEvents> {
  // Digests of events by tracking id.
  let known: ReadonlyMap<string, string> | null = null;

  return {
    async read() {
      const events = await readList();
      const before = known;
      const listed = new Map<string, string>();
      const changed = await filterRows(
        events,
        (event) => {
          const digest = hash('sha256', JSON.stringify(event), 'base64url');
          listed.set(event.trackingId, digest);
          return before !== null && before.get(event.trackingId) !== digest;
        },
        principal,
      );
      const unlisted = [...(before ?? [])].filter(([trackingId]) => !listed.has(trackingId));
      known = new Map([...unlisted.slice(-maxUnlisted), ...listed]);
      const value = new Map(changed.map((event) => [event.trackingId, event]));
      return { value: value.size > 0 ? value : null };
    },
  };
}
