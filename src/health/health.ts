import { InputError } from '../errors.ts';
import type { CursorCodec } from '../graph/cursor.ts';
import type { FilterInput } from '../graph/filter-compiler.ts';
import type { RelayConnection } from '../graph/relay-connection.ts';
import { filterRows } from '../graph/rows/row-filter.ts';
import { createRowLists, type RowListQuery } from '../graph/rows/row-lists.ts';
import type { Selection } from '../graph/selection.ts';
import type { Access } from '../http/auth/access.ts';
import type { Follow } from '../operations/follow.ts';
import { flatMapAsyncIterator, mapAsyncIterator } from '../runtime/async-iterators.ts';
import { getOrCompute } from '../runtime/memo.ts';
import { type AffectedResources, createAffectedResources } from './affected-resources.ts';
import {
  buildEventPath,
  type EventAddress,
  validateEventAddress,
  validateEventScope,
} from './event-address.ts';
import { type ChangedEvents, createEventListPoll, type ListScope, readEventList } from './event-list.ts';
import {
  createEventPoll,
  createEventReader,
  type EventReaderOptions,
  toEventAddress,
  type WatchedEvent,
} from './event-reads.ts';
import type { HealthEventRecord } from './event-record.ts';
import { compileEventFilter, eventRows } from './event-rows.ts';
import { selectsWithheldFields } from './withheld-fields.ts';

declare module '../graph/context.ts' {
  interface Context {
    readonly health: HealthEvents;
  }
}

/** The data source of the resolvers of area C. One per GraphQL operation, with the caller's credentials. */
export interface HealthEvents extends AffectedResources {
  /** Reads the plain record of an event; null if it does not exist. Without a subscription it is the tenant's event. */
  readEvent(trackingId: string, subscriptionId: string | null): Promise<HealthEventRecord | null>;
  /** Fetches all fields of an event whose plain record was read. */
  readDetails(event: HealthEventRecord): Promise<HealthEventRecord | null>;
  listEvents(page: EventListQuery): Promise<RelayConnection<HealthEventRecord>>;
  /** Yields the event now, null if it does not exist, then after every change, until the watcher leaves. */
  watchEvent(
    trackingId: string,
    subscriptionId: string | null,
  ): AsyncIterableIterator<HealthEventRecord | null>;
  /** Yields the plain record of each event of a list that is new or changes from now on and passes the filter. */
  watchEvents(
    subscriptionId: string | null,
    filter: FilterInput | null | undefined,
  ): AsyncIterableIterator<HealthEventRecord>;
}

export type EventListQuery = ListScope & RowListQuery;

export interface HealthEventsOptions extends EventReaderOptions {
  readonly cursors: CursorCodec;
  /** Must not share events with other replicas: they may be sensitive. */
  readonly followEvent: Follow<WatchedEvent>;
  readonly followList: Follow<ChangedEvents>;
  /** The `api-version` of the list of subscriptions; null if not configured. */
  readonly subscriptionsApiVersion: string | null;
}

/** Within one GraphQL operation, an event that is selected twice is read once, even after a failure. */
export function createHealthEvents(
  options: HealthEventsOptions,
  access: Access,
  selection: Selection,
): HealthEvents {
  const { client, cursors, followEvent, followList } = options;
  const rowLists = createRowLists(cursors, access.principal);
  const reader = createEventReader(options, access);
  const lists = new Map<string, Promise<readonly HealthEventRecord[]>>();
  const plainEvents = new Map<string, Promise<HealthEventRecord | null>>();
  const details = new Map<string, Promise<HealthEventRecord | null>>();

  const validate = (address: EventAddress): EventAddress => {
    const fault = validateEventAddress(address);
    if (fault) throw new InputError(fault);
    return address;
  };

  const readList = (scope: ListScope) =>
    getOrCompute(lists, JSON.stringify([scope.subscriptionId, scope.since]), () =>
      readEventList(client, options, access, scope),
    );

  return {
    ...createAffectedResources(options, access, rowLists, readList),

    async readEvent(trackingId, subscriptionId) {
      const address = validate({ trackingId, subscriptionId });
      const key = buildEventPath(options, address, null);
      return getOrCompute(plainEvents, key, () => reader.readPlain(address));
    },

    async readDetails(event) {
      if (event.fetched?.failure) throw event.fetched.failure;
      if (event.fetched) return event.fetched.details;
      // An event of a list may have a name that a path cannot contain.
      const key = buildEventPath(options, validate(toEventAddress(event)), null);
      return getOrCompute(details, key, () => reader.readFull(event));
    },

    async listEvents({ subscriptionId, since, ...query }) {
      const fault = validateEventScope(subscriptionId);
      if (fault) throw new InputError(fault);
      const list = ['healthEvents', subscriptionId, since];
      return rowLists.page(eventRows, list, query, () => readList({ subscriptionId, since }));
    },

    watchEvent(trackingId, subscriptionId) {
      const address = validate({ trackingId, subscriptionId });
      const needsDetails = selectsWithheldFields(selection);
      const path = buildEventPath(options, address, null);
      const key = JSON.stringify([access.principal, access.language, needsDetails, path]);
      const watchedFrom = performance.now();
      const states = followEvent(key, () => createEventPoll(reader, address, needsDetails));
      return mapAsyncIterator(states, ({ event }) => withoutEarlierDetails(watchedFrom, event));
    },

    watchEvents(subscriptionId, filter) {
      const fault = validateEventScope(subscriptionId);
      if (fault) throw new InputError(fault);
      const passes = compileEventFilter(filter);
      const { principal, language } = access;
      const key = JSON.stringify([principal, language, subscriptionId]);
      const changes = followList(key, () =>
        createEventListPoll(principal, () =>
          readEventList(client, options, access, { subscriptionId, since: null }),
        ),
      );
      return flatMapAsyncIterator(changes, (changed) => filterRows([...changed.values()], passes, principal));
    },
  };
}

/**
 * Removes details that were fetched before this watcher joined, who may no longer have the right to see them. If they are
 * selected, they are fetched again.
 */
function withoutEarlierDetails(
  watchedFrom: number,
  event: HealthEventRecord | null,
): HealthEventRecord | null {
  if (!event?.fetched || event.fetched.requestedAt >= watchedFrom) return event;
  const { fetched: _earlier, ...plain } = event;
  return plain;
}
