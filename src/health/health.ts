import { asUpstreamError, InputError, type UpstreamError } from '../errors.ts';
import {
  type CursorCodec,
  type CursorPosition,
  deriveCursorScope,
  estimateCursorBytes,
} from '../graph/cursor.ts';
import { createRelayConnection, type RelayConnection, readFirst } from '../graph/relay-connection.ts';
import type { Selection } from '../graph/selection.ts';
import type { Access } from '../http/auth/access.ts';
import { isTransient } from '../http/errors.ts';
import type { Tracker } from '../operations/tracker.ts';
import { flatMapAsyncIterator, mapAsyncIterator } from '../runtime/async-iterators.ts';
import { getOrCompute } from '../runtime/memo.ts';
import {
  buildEventPath,
  type EventAddress,
  validateEventAddress,
  validateEventScope,
} from './event-address.ts';
import { compileEventFilter, type EventFilter, filterEvents } from './event-filter.ts';
import { type ListScope, readEventList } from './event-list.ts';
import type { EventListPoller } from './event-list-poller.ts';
import { type EventOrder, sortEvents } from './event-order.ts';
import { createEventPoll } from './event-poll.ts';
import { createEventReader, type EventReaderOptions, toEventAddress } from './event-reads.ts';
import type { HealthEventRecord } from './event-record.ts';
import { mayBeWithheld, selectsWithheldFields } from './withheld-fields.ts';

declare module '../graph/context.ts' {
  interface Context {
    readonly health: HealthEvents;
  }
}

/** What the resolvers of area C work with: one for each GraphQL operation, with the caller's credentials. */
export interface HealthEvents {
  /** The plain record of an event, or null where it does not exist; without a subscription, as the tenant sees it. */
  readEvent(trackingId: string, subscriptionId: string | null): Promise<HealthEventRecord | null>;
  /** Whether fields of the event may have been withheld, rather than being empty: its details have them. */
  mayBeWithheld(event: HealthEventRecord): boolean;
  /** All fields of an event whose plain record was read. */
  readDetails(event: HealthEventRecord): Promise<HealthEventRecord | null>;
  listEvents(page: EventListQuery): Promise<RelayConnection<HealthEventRecord>>;
  /** The event now, null where it does not exist, and then every change, until the watcher leaves. */
  watchEvent(
    trackingId: string,
    subscriptionId: string | null,
  ): AsyncIterableIterator<HealthEventRecord | null>;
  /** The plain records of the events of a list that are new or change from now on, as far as they pass the filter. */
  watchEvents(
    subscriptionId: string | null,
    filter: EventFilter | null | undefined,
  ): AsyncIterableIterator<HealthEventRecord>;
}

export interface EventListQuery extends ListScope {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly filter?: EventFilter | null | undefined;
  readonly orderBy?: readonly EventOrder[] | null | undefined;
}

export interface HealthEventsOptions extends EventReaderOptions {
  readonly cursors: CursorCodec;
  /** Polls events for watchers. Its states may be sensitive, so its bus must not leave this process. */
  readonly tracker: Tracker;
  readonly listPoller: EventListPoller;
  readonly pollMs: number;
}

/** Within one GraphQL operation, an event that is selected twice is read once, also where the read fails. */
export function createHealthEvents(
  options: HealthEventsOptions,
  access: Access,
  selection: Selection,
): HealthEvents {
  const { client, cursors, tracker, listPoller, pollMs } = options;
  const reader = createEventReader(options, access);
  const lists = new Map<string, Promise<readonly HealthEventRecord[]>>();
  // Filtered and sorted lists, by the scope of their cursors.
  const sortedLists = new Map<string, Promise<readonly HealthEventRecord[]>>();
  const plainEvents = new Map<string, Promise<HealthEventRecord | null>>();
  const details = new Map<string, Promise<HealthEventRecord | null>>();

  const validated = (address: EventAddress): EventAddress => {
    const fault = validateEventAddress(address);
    if (fault) throw new InputError(fault);
    return address;
  };

  return {
    async readEvent(trackingId, subscriptionId) {
      const address = validated({ trackingId, subscriptionId });
      const key = buildEventPath(options, address, null);
      return getOrCompute(plainEvents, key, () => reader.readPlain(address));
    },

    mayBeWithheld: (event) => mayBeWithheld(event, options),

    async readDetails(event) {
      if (event.fetched?.failure) throw event.fetched.failure;
      if (event.fetched) return event.fetched.details;
      // An event of a list may have a name that no path can contain.
      const key = buildEventPath(options, validated(toEventAddress(event)), null);
      return getOrCompute(details, key, () => reader.readFull(event));
    },

    async listEvents({ subscriptionId, since, first, after, filter, orderBy }) {
      const fault = validateEventScope(subscriptionId);
      if (fault) throw new InputError(fault);
      const size = readFirst(first);
      const passes = compileEventFilter(filter);
      const scope = deriveCursorScope('healthEvents', subscriptionId, since, filter ?? null, orderBy ?? []);
      const start = after == null ? null : cursors.decode(scope, after);
      const key = JSON.stringify([subscriptionId, since]);
      const list = getOrCompute(lists, key, () =>
        readEventList(client, options, access, { subscriptionId, since }),
      );
      const all = await getOrCompute(sortedLists, scope, async () =>
        sortEvents(await filterEvents(await list, passes, access.principal), orderBy ?? []),
      );
      const from = start ? findIndexAfter(all, start) : 0;
      const nodes = all.slice(from, from + size);
      return createRelayConnection({
        nodes,
        totalCount: all.length,
        hasNextPage: from + size < all.length,
        hasPreviousPage: start !== null,
        cursorAt: (index) =>
          cursors.encode(scope, { page: nodes[index]?.trackingId ?? null, offset: from + index + 1 }),
        cursorBytes: () =>
          Math.max(0, ...nodes.map(({ trackingId }) => estimateCursorBytes({ page: trackingId }))),
      });
    },

    watchEvent(trackingId, subscriptionId) {
      const address = validated({ trackingId, subscriptionId });
      const inFull = selectsWithheldFields(selection);
      const poll = createEventPoll(reader, options, address, inFull);
      const path = buildEventPath(options, address, null);
      const key = `${access.principal} ${access.language ?? ''} ${inFull ? 'all of' : ''} ${path}`;
      const watchedFrom = performance.now();
      const waitMs = (failure: UpstreamError | null) =>
        Math.max(pollMs, (failure?.retryAfterSeconds ?? 0) * 1000);
      const states = tracker.follow<{ readonly event: HealthEventRecord | null }>(key, async () => {
        try {
          const { event, failure } = await poll();
          return { state: { event }, isFinished: false, waitMs: waitMs(failure) };
        } catch (error) {
          const failure = asUpstreamError(error);
          if (!isTransient(failure)) throw failure;
          return { state: null, isFinished: false, waitMs: waitMs(failure) };
        }
      });
      return mapAsyncIterator(states, ({ event }) => withoutEarlierDetails(watchedFrom, event));
    },

    watchEvents(subscriptionId, filter) {
      const fault = validateEventScope(subscriptionId);
      if (fault) throw new InputError(fault);
      const passes = compileEventFilter(filter);
      const { principal, language } = access;
      const key = JSON.stringify([principal, language, subscriptionId]);
      const changes = listPoller.watch(key, principal, () =>
        readEventList(client, options, access, { subscriptionId, since: null }),
      );
      return flatMapAsyncIterator(changes, (changed) =>
        filterEvents([...changed.values()], passes, principal),
      );
    },
  };
}

/**
 * Removes details that were fetched before this watcher came, who may not have the right to see them any more: they are
 * fetched again where they are selected.
 */
function withoutEarlierDetails(
  watchedFrom: number,
  event: HealthEventRecord | null,
): HealthEventRecord | null {
  if (!event?.fetched || event.fetched.requestedAt >= watchedFrom) return event;
  const { fetched: _earlier, ...plain } = event;
  return plain;
}

// The list may have changed since the cursor was created: the page starts behind the cursor's event. Where that is gone,
// the events behind it have moved up by one.
function findIndexAfter(events: readonly HealthEventRecord[], { page, offset }: CursorPosition): number {
  const found = events.findIndex(({ trackingId }) => trackingId === page);
  return found < 0 ? Math.min(offset - 1, events.length) : found + 1;
}
