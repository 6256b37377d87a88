import { failureOf, InputError, UpstreamError } from '../errors.ts';
import { type Connection, connectionOf, readFirst } from '../graph/connection.ts';
import { type Cursors, cursorBytesFor, type Position, scopeOf } from '../graph/cursor.ts';
import { mapEvents } from '../operations/map-events.ts';
import type { Tracker } from '../operations/tracker.ts';
import type { Access } from '../upstream/access.ts';
import type { Client } from '../upstream/client.ts';
import { badResponse, isPassing } from '../upstream/error-answers.ts';
import { createPace } from './details.ts';
import {
  addressFault,
  type EventAddress,
  eventPath,
  type HealthPlace,
  scopeFault,
  tenantScope,
} from './event-address.ts';
import { compileEventFilter, type EventFilter, passing } from './event-filter.ts';
import { type ListScope, readEvents } from './event-list.ts';
import { type EventOrder, sorted } from './event-order.ts';
import { type HealthEventRecord, readEvent } from './event-record.ts';

/** What the resolvers of area C work with: one for each request, in the caller's name. */
export interface Health {
  /** The event's details, or null when there is none; without a subscription, as the tenant sees it. */
  event(trackingId: string, subscriptionId: string | null): Promise<HealthEventRecord | null>;
  /** All of an event that a list held only in part. */
  details(event: HealthEventRecord): Promise<HealthEventRecord | null>;
  events(page: EventPage): Promise<Connection<HealthEventRecord>>;
  /** The event as it is now, null when there is none, and whenever that has changed, until the watcher leaves. */
  changes(trackingId: string, subscriptionId: string | null): AsyncIterableIterator<HealthEventRecord | null>;
}

export interface EventPage extends ListScope {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly filter?: EventFilter | null | undefined;
  readonly orderBy?: readonly EventOrder[] | null | undefined;
}

export interface HealthOptions extends HealthPlace {
  readonly client: Client;
  readonly cursors: Cursors;
  /** Polls for watchers. Its states hold what may be sensitive: they stay in this process. */
  readonly tracker: Tracker;
  readonly pollMs: number;
}

/** The health area as one request sees it: an event asked for twice is fetched once, its failure included. */
export function createHealth(options: HealthOptions, access: Access): Health {
  const { client, cursors, tracker, pollMs } = options;
  const pace = createPace();
  const listed = new Map<string, Promise<readonly HealthEventRecord[]>>();
  // Of lists, the events that pass a filter, in an order, by all that decides that.
  const selected = new Map<string, Promise<readonly HealthEventRecord[]>>();
  const fetched = new Map<string, Promise<HealthEventRecord | null>>();

  const fetchEvent = async (path: string, address: EventAddress): Promise<HealthEventRecord | null> => {
    const body = await pace(() => client.send({ method: 'POST', path, access })).then(
      (answer) => answer.body,
      (error: unknown) => {
        if (error instanceof UpstreamError && error.status === 404) return undefined;
        throw error;
      },
    );
    if (body === undefined) return null;
    const event = readEvent(address, body);
    if (event) return event;
    throw badResponse('health', 'The upstream answered with something other than a health event.');
  };

  const addressOf = (trackingId: string, subscriptionId: string | null): EventAddress => {
    const fault = addressFault({ trackingId, subscriptionId });
    if (fault) throw new InputError(fault);
    return { trackingId, subscriptionId };
  };

  const event: Health['event'] = async (trackingId, subscriptionId) => {
    const address = addressOf(trackingId, subscriptionId);
    const path = eventPath(options, address);
    const known = fetched.get(path) ?? fetchEvent(path, address);
    fetched.set(path, known);
    return known;
  };

  return {
    event,
    details: ({ trackingId, scope }) => event(trackingId, scope === tenantScope ? null : scope),

    async events({ subscriptionId, since, first, after, filter, orderBy }) {
      const fault = scopeFault(subscriptionId);
      if (fault) throw new InputError(fault);
      const size = readFirst(first);
      const passes = compileEventFilter(filter);
      const scope = scopeOf('healthEvents', subscriptionId, since, filter ?? null, orderBy ?? []);
      const start = after == null ? null : cursors.open(scope, after);
      const key = JSON.stringify([subscriptionId, since]);
      const list = listed.get(key) ?? readEvents(client, options, access, { subscriptionId, since });
      listed.set(key, list);
      const ofScope =
        selected.get(scope) ??
        list.then((events) => passing(events, passes)).then((some) => sorted(some, orderBy ?? []));
      selected.set(scope, ofScope);
      const all = await ofScope;
      const from = start ? placeBehind(all, start) : 0;
      const nodes = all.slice(from, from + size);
      return connectionOf({
        nodes,
        totalCount: all.length,
        hasNextPage: from + size < all.length,
        hasPreviousPage: start !== null,
        cursorAt: (index) =>
          cursors.seal(scope, { page: nodes[index]?.trackingId ?? null, offset: from + index + 1 }),
        cursorBytes: () =>
          Math.max(0, ...nodes.map(({ trackingId }) => cursorBytesFor({ page: trackingId }))),
      });
    },

    changes(trackingId, subscriptionId) {
      const address = addressOf(trackingId, subscriptionId);
      const path = eventPath(options, address);
      const key = `${access.principal} ${path}`;
      const states = tracker.follow<{ readonly event: HealthEventRecord | null }>(key, async () => {
        try {
          return { state: { event: await fetchEvent(path, address) }, isFinished: false, waitMs: pollMs };
        } catch (error) {
          const failure = failureOf(error);
          if (!isPassing(failure)) throw failure;
          const seconds = failure.retryAfterSeconds ?? 0;
          return { state: null, isFinished: false, waitMs: Math.max(pollMs, seconds * 1000) };
        }
      });
      return mapEvents(states, ({ event: now }) => now);
    },
  };
}

// The list may have moved since the cursor was made: its event is where to go on. Where that is gone, what stood
// behind it has moved up to its old place.
function placeBehind(events: readonly HealthEventRecord[], { page, offset }: Position): number {
  const found = events.findIndex(({ trackingId }) => trackingId === page);
  return found < 0 ? Math.min(offset - 1, events.length) : found + 1;
}
