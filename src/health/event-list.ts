import type { Client } from '../upstream/client.ts';
import { badResponse } from '../upstream/error-answers.ts';
import { isObject, textOrNull } from '../upstream/json.ts';
import { continuationOf } from '../upstream/next-link.ts';
import { eventsPath, type HealthPlace } from './event-address.ts';
import { type HealthEventRecord, readEvent } from './event-record.ts';

export interface ListScope {
  /** Null for the tenant's events. */
  readonly subscriptionId: string | null;
  /** An instant of the graph; null leaves it to the upstream how far back it goes. */
  readonly since: string | null;
}

// Lists of events are short; one that goes on and on is the upstream's fault.
const maxPages = 50;
const ours = new Set(['api-version']);

/** All events an upstream lists, page after page, as plain as lists hold them. Throws `UpstreamError`. */
export async function readEvents(
  client: Client,
  { namespace, apiVersion }: HealthPlace,
  token: string | null,
  { subscriptionId, since }: ListScope,
): Promise<readonly HealthEventRecord[]> {
  const path = eventsPath(namespace, subscriptionId);
  const version = `api-version=${encodeURIComponent(apiVersion)}`;
  const events: HealthEventRecord[] = [];
  let parameters: string | null = since === null ? '' : `&queryStartTime=${encodeURIComponent(dayOf(since))}`;
  for (let pages = 0; parameters !== null && pages < maxPages; pages++) {
    const { body } = await client.send({ method: 'GET', path: `${path}?${version}${parameters}`, token });
    const { value, nextLink } = isObject(body) ? body : {};
    // Neither is required by the real service: no list is an empty one.
    const rows = value ?? [];
    if (!isObject(body) || !Array.isArray(rows))
      throw badResponse('health', 'The upstream answered with something other than a list of events.');
    for (const row of rows) {
      const trackingId = isObject(row) ? textOrNull(row.name) : null;
      const event = trackingId === null ? null : readEvent({ trackingId, subscriptionId }, row, true);
      if (event) events.push(event);
    }
    const next = textOrNull(nextLink);
    parameters = next === null ? null : `&${continuationOf('health', next, path, ours)}`;
  }
  if (parameters !== null)
    throw badResponse('health', 'The upstream leads from page to page without an end.');
  // The upstream counts in days.
  return since === null ? events : events.filter((event) => isSince(event, since));
}

const isSince = ({ lastUpdateTime }: HealthEventRecord, since: string) =>
  lastUpdateTime === null || Date.parse(lastUpdateTime) >= Date.parse(since);

// The real service takes the day the American way, without leading zeros.
function dayOf(instant: string): string {
  const [year, month, day] = instant.slice(0, 10).split('-').map(Number);
  return `${month}/${day}/${year}`;
}
