import { asUpstreamError, UpstreamError } from '../errors.ts';
import { classifyAbsence, isSubscriptionMissing } from '../http/absence.ts';
import type { Access } from '../http/auth/access.ts';
import type { UpstreamClient } from '../http/client.ts';
import { badResponseError, isTransient } from '../http/errors.ts';
import type { Poll } from '../operations/follow.ts';
import { isJsonObject } from '../runtime/json.ts';
import { createSemaphore } from '../runtime/semaphore.ts';
import { buildEventPath, type EventAddress, type HealthApiSettings, tenantScope } from './event-address.ts';
import { type FetchedDetails, type HealthEventRecord, parseEvent } from './event-record.ts';
import { fetchOperationFor, lacksDetails } from './withheld-fields.ts';

/** Reads single events, at most four at a time, without a cache. Returns null for an event that does not exist. */
export interface EventReader {
  /** Reads the plain record, or the full event if the upstream has no plain reads. Throws `UpstreamError`. */
  readPlain(address: EventAddress): Promise<HealthEventRecord | null>;
  /**
   * Fetches all fields of an event whose plain record was read. Throws `UpstreamError`; a 401 becomes FORBIDDEN because the
   * token was valid for the plain read.
   */
  readFull(event: HealthEventRecord): Promise<HealthEventRecord | null>;
}

/** Whether an upstream has plain reads of one event: the source document mentions them, but defines no path. */
export interface PlainReadSupport {
  /** Null if unknown. */
  isSupported: boolean | null;
}

export interface EventReaderOptions extends HealthApiSettings {
  readonly client: UpstreamClient;
  /** Shared by all callers of an upstream. */
  readonly plainReadSupport: PlainReadSupport;
}

/** Statuses that an upstream may return if it has no plain reads, or if the caller may not use them. */
const plainUnavailableStatuses = new Set<number | null>([403, 404, 405, 501]);

const maxConcurrentReads = 4;

export function createEventReader(options: EventReaderOptions, access: Access): EventReader {
  const { client, plainReadSupport } = options;
  const limit = createSemaphore(maxConcurrentReads);

  const read = async (
    method: 'GET' | 'POST',
    address: EventAddress,
    operation: string | null,
    isFull = false,
  ) => {
    const path = buildEventPath(options, address, operation);
    const response = await limit(() => client.send({ method, path, access }));
    const event = parseEvent(address, response.body, method === 'GET');
    if (event === null)
      throw badResponseError(
        'health',
        'The upstream responded with something other than a health event.',
        response,
      );
    // The name of an event is its tracking id. Not every response has one.
    if (event.name && event.name.toLowerCase() !== address.trackingId.toLowerCase())
      throw badResponseError('health', 'The upstream responded with another health event.', response);
    if (isFull && !hasProperties(response.body))
      throw badResponseError('health', "The upstream responded without the event's properties.", response);
    return event;
  };
  const fetchEvent = (address: EventAddress, operation: string, isFull = false) =>
    read('POST', address, operation, isFull).catch(nullIfEventAbsent);

  const readPlain = async (address: EventAddress) => {
    const event = await read('GET', address, null);
    plainReadSupport.isSupported = true;
    return event;
  };

  return {
    async readPlain(address) {
      if (plainReadSupport.isSupported === false) {
        try {
          return await fetchEvent(address, 'fetchEventDetails');
        } catch (rejection) {
          if (errorStatus(rejection) !== 403) throw rejection;
          // This caller may not fetch events. The upstream may have plain reads by now.
          return readPlain(address).catch((error: unknown) => {
            throw plainUnavailableStatuses.has(errorStatus(error)) ? rejection : error;
          });
        }
      }
      try {
        return await readPlain(address);
      } catch (error) {
        const status = errorStatus(error);
        if (!plainUnavailableStatuses.has(status) || isSubscriptionMissing(error)) throw error;
        if (status === 404 && plainReadSupport.isSupported) return nullIfEventAbsent(error);
        const event = await fetchEvent(address, 'fetchEventDetails');
        if (event !== null && status !== 403) plainReadSupport.isSupported ??= false;
        return event;
      }
    },

    readFull: (event) =>
      fetchEvent(toEventAddress(event), fetchOperationFor(event, options), true).catch((error: unknown) => {
        const isRejected = error instanceof UpstreamError && error.status === 401 && error.claims === null;
        throw isRejected ? toForbidden(error) : error;
      }),
  };
}

/** Returns null if the error proves that the event does not exist; otherwise rethrows it. */
function nullIfEventAbsent(error: unknown): null {
  if (classifyAbsence(error) === 'proven') return null;
  throw error;
}

const hasProperties = (body: unknown): boolean =>
  isJsonObject(body) && isJsonObject(body.properties) && Object.keys(body.properties).length > 0;

const errorStatus = (error: unknown): number | null => (error instanceof UpstreamError ? error.status : null);

export const toEventAddress = ({ trackingId, scope }: HealthEventRecord): EventAddress => ({
  trackingId,
  subscriptionId: scope === tenantScope ? null : scope,
});

const toForbidden = ({ upstream, delivery, detail }: UpstreamError): UpstreamError =>
  new UpstreamError(
    'FORBIDDEN',
    'The upstream does not show this caller the sensitive fields of the event.',
    { upstream, delivery, detail, status: 401 },
  );

export interface WatchedEvent {
  /** Null if it does not exist. */
  readonly event: HealthEventRecord | null;
}

/**
 * Polls one event with plain reads. With `needsDetails`, the first read also fetches the fields that plain reads may
 * withhold. Later reads fetch them again if the plain record has changed, if the last fetch failed for a transient
 * reason, or if the event has no `lastUpdateTime` that would show a change. A failed fetch is part of the result.
 */
export function createEventPoll(
  reader: EventReader,
  address: EventAddress,
  needsDetails: boolean,
): Poll<WatchedEvent> {
  let last: { readonly plain: string; readonly fetched: FetchedDetails } | null = null;

  return {
    async read() {
      const event = await reader.readPlain(address);
      if (!needsDetails || event === null || !lacksDetails(event)) return { value: { event } };
      const plain = JSON.stringify(event);
      const before = last?.plain === plain ? last.fetched : null;
      const now = before && !isOutdated(before, event) ? before : await fetchDetails(reader, event);
      const fetched = before && isUnchanged(before, now) ? before : now;
      last = { plain, fetched };
      const failure = now.failure && isTransient(now.failure) ? now.failure : null;
      return { value: { event: { ...event, fetched } }, failure };
    },
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

/** Whether the result of the earlier fetch remains: it is the same, or the later fetch failed for a transient reason. */
const isUnchanged = (before: FetchedDetails, now: FetchedDetails): boolean =>
  now.failure
    ? isTransient(now.failure)
    : before.failure === null && JSON.stringify(before.details) === JSON.stringify(now.details);
