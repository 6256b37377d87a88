import type { Access } from '../http/auth/access.ts';
import type { UpstreamClient } from '../http/client.ts';
import { badResponseError } from '../http/errors.ts';
import { readContinuation, readNextLink } from '../http/pagination.ts';
import { isJsonObject, stringOrNull } from '../runtime/json.ts';
import { buildEventsPath, type HealthApiSettings } from './event-address.ts';
import { type HealthEventRecord, parseEvent } from './event-record.ts';
import { toSortableTime } from './sortable-time.ts';

export interface ListScope {
  /** Null for the tenant's events. */
  readonly subscriptionId: string | null;
  /** An instant of the graph; with null, the upstream decides how far back the list goes. */
  readonly since: string | null;
}

// Lists of events are short; a longer one is a fault of the upstream.
const maxListPages = 50;
const ownParameters = new Set(['api-version']);

/**
 * Reads the plain records of all events of a list, page by page. An event that moves to a later page meanwhile is
 * returned once. Throws `UpstreamError`.
 */
export async function readEventList(
  client: UpstreamClient,
  { namespace, apiVersion }: Pick<HealthApiSettings, 'namespace' | 'apiVersion'>,
  access: Access,
  { subscriptionId, since }: ListScope,
): Promise<readonly HealthEventRecord[]> {
  const path = buildEventsPath(namespace, subscriptionId);
  const version = `api-version=${encodeURIComponent(apiVersion)}`;
  const events = new Map<string, HealthEventRecord>();
  const seen = new Set<string>();
  let parameters: string | null =
    since === null ? '' : `&queryStartTime=${encodeURIComponent(formatDay(since))}`;
  while (parameters !== null) {
    if (seen.has(parameters) || seen.size === maxListPages)
      throw badResponseError('health', 'The list of the upstream does not end.');
    seen.add(parameters);
    const response = await client.send({ method: 'GET', path: `${path}?${version}${parameters}`, access });
    const { value, nextLink } = isJsonObject(response.body) ? response.body : {};
    const next = readNextLink(nextLink);
    if (!Array.isArray(value) || next === undefined)
      throw badResponseError(
        'health',
        'The upstream responded with something other than a list of events.',
        response,
      );
    for (const row of value) {
      const trackingId = parseTrackingId(row);
      const event = trackingId === null ? null : parseEvent({ trackingId, subscriptionId }, row, true);
      if (event && !events.has(event.trackingId)) events.set(event.trackingId, event);
    }
    parameters = next === null ? null : `&${readContinuation('health', next, path, ownParameters)}`;
  }
  // The upstream takes `since` as a day.
  return since === null
    ? [...events.values()]
    : [...events.values()].filter((event) => isUpdatedSince(event, since));
}

// No field of an event is required. One without any name is left out, as it could not be read again.
const parseTrackingId = (row: unknown): string | null =>
  isJsonObject(row)
    ? (stringOrNull(row.name) ?? stringOrNull(stringOrNull(row.id)?.split('/').at(-1)))
    : null;

const isUpdatedSince = ({ lastUpdateTime }: HealthEventRecord, since: string) =>
  lastUpdateTime === null || toSortableTime(lastUpdateTime) >= toSortableTime(since);

// The real service takes the day as month/day/year, without leading zeros.
function formatDay(instant: string): string {
  const [year, month, day] = instant.slice(0, 10).split('-').map(Number);
  return `${month}/${day}/${year}`;
}
