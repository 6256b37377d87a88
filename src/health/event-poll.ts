import { asUpstreamError, type UpstreamError } from '../errors.ts';
import { isTransient } from '../http/errors.ts';
import type { EventAddress } from './event-address.ts';
import type { EventReader } from './event-reads.ts';
import type { FetchedDetails, HealthEventRecord } from './event-record.ts';
import { lacksDetails } from './withheld-fields.ts';

/** What one poll of an event has found. */
export interface EventPollResult {
  readonly event: HealthEventRecord | null;
  /** Why withheld fields could not be fetched this time, where the next poll tries again. */
  readonly failure: UpstreamError | null;
}

/**
 * Returns a function that polls one event by plain reads. With `inFull`, the fields that those may withhold are fetched
 * at the first poll, and again where the plain record has changed, where the last fetch failed for a transient reason,
 * or where the event has no `lastUpdateTime` that could change. A failed fetch is part of the result.
 */
export function createEventPoll(
  reader: EventReader,
  address: EventAddress,
  inFull: boolean,
): () => Promise<EventPollResult> {
  let last: { readonly plain: string; readonly fetched: FetchedDetails } | null = null;

  return async () => {
    const event = await reader.readPlain(address);
    if (!inFull || event === null || !lacksDetails(event)) return { event, failure: null };
    const plain = JSON.stringify(event);
    const before = last?.plain === plain ? last.fetched : null;
    const now = before && !isOutdated(before, event) ? before : await fetchDetails(reader, event);
    const fetched = before && isUnchanged(before, now) ? before : now;
    last = { plain, fetched };
    const failure = now.failure && isTransient(now.failure) ? now.failure : null;
    return { event: { ...event, fetched }, failure };
  };
}

async function fetchDetails(reader: EventReader, event: HealthEventRecord): Promise<FetchedDetails> {
  const requestedAt = performance.now();
  try {
    return { requestedAt, details: await reader.readFull(event), failure: null };
  } catch (error) {
    return { requestedAt, details: null, failure: asUpstreamError(error) };
  }
}

const isOutdated = ({ failure }: FetchedDetails, { lastUpdateTime }: HealthEventRecord): boolean =>
  failure ? isTransient(failure) : lastUpdateTime === null;

/** Whether the earlier fetch still holds: watchers are not told of a transient failure. */
const isUnchanged = (before: FetchedDetails, now: FetchedDetails): boolean =>
  now.failure
    ? isTransient(now.failure)
    : before.failure === null && JSON.stringify(before.details) === JSON.stringify(now.details);
