import type { Access } from '../upstream/access.ts';
import type { Client } from '../upstream/client.ts';
import { badResponse } from '../upstream/error-answers.ts';
import { isObject, textOrNull } from '../upstream/json.ts';
import { continuationOf } from '../upstream/next-link.ts';
import { eventsPath, type HealthPlace } from './event-address.ts';
import { type HealthEventRecord, readEvent } from './event-record.ts';
import { timeKey } from './time-key.ts';

export interface ListScope {
  /** Null for the tenant's events. */
  readonly subscriptionId: string | null;
  /** An instant of the graph; null leaves it to the upstream how far back it goes. */
  readonly since: string | null;
}

// Lists of events are short; one that goes on and on is the upstream's fault.
const maxPages = 50;
const ours = new Set(['api-version']);

/**
 * All events an upstream lists, page after page, as plain as lists hold them; one that moves from page to page
 * meanwhile is there once. Throws `UpstreamError`.
 */
export async function readEvents(
  client: Client,
  { namespace, apiVersion }: HealthPlace,
  access: Access,
  { subscriptionId, since }: ListScope,
): Promise<readonly HealthEventRecord[]> {
  const path = eventsPath(namespace, subscriptionId);
  const version = `api-version=${encodeURIComponent(apiVersion)}`;
  const events = new Map<string, HealthEventRecord>();
  const seen = new Set<string>();
  let parameters: string | null = since === null ? '' : `&queryStartTime=${encodeURIComponent(dayOf(since))}`;
  while (parameters !== null) {
    if (seen.has(parameters) || seen.size === maxPages)
      throw badResponse('health', 'The upstream leads from page to page without an end.');
    seen.add(parameters);
    const { body } = await client.send({ method: 'GET', path: `${path}?${version}${parameters}`, access });
    const { value, nextLink } = isObject(body) ? body : {};
    if (!Array.isArray(value))
      throw badResponse('health', 'The upstream answered with something other than a list of events.');
    for (const row of value) {
      const trackingId = trackingIdOf(row);
      const event = trackingId === null ? null : readEvent({ trackingId, subscriptionId }, row, true);
      if (event && !events.has(event.trackingId)) events.set(event.trackingId, event);
    }
    const next = textOrNull(nextLink);
    parameters = next === null ? null : `&${continuationOf('health', next, path, ours)}`;
  }
  // The upstream counts in days.
  return since === null
    ? [...events.values()]
    : [...events.values()].filter((event) => isSince(event, since));
}

// None of an event's fields is required. One that says in no way what it is called cannot be asked for again.
const trackingIdOf = (row: unknown): string | null =>
  isObject(row) ? (textOrNull(row.name) ?? textOrNull(textOrNull(row.id)?.split('/').at(-1))) : null;

const isSince = ({ lastUpdateTime }: HealthEventRecord, since: string) =>
  lastUpdateTime === null || timeKey(lastUpdateTime) >= timeKey(since);

// The real service takes the day the American way, without leading zeros.
function dayOf(instant: string): string {
  const [year, month, day] = instant.slice(0, 10).split('-').map(Number);
  return `${month}/${day}/${year}`;
}
