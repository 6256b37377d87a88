import type { Resolvers } from '../generated/graphql.ts';
import type { Context } from '../graph/context.ts';
import { mapEvents } from '../operations/map-events.ts';
import { listedImpact, mayBeWithheld, type Origin, withheld } from './details.ts';
import { tenantScope } from './event-address.ts';
import type { HealthEventRecord } from './event-record.ts';

/** An event of `healthEventChanged`: the event as it is, or the error that ends the stream. */
type Change = { readonly event: HealthEventRecord | null } | { readonly failure: unknown };

/** A field's value, fetched where a list has withheld it. */
const inFull =
  <Field extends keyof HealthEventRecord>(field: Field) =>
  (event: HealthEventRecord, _args: unknown, { health }: Context) =>
    event[field] === null && mayBeWithheld(event)
      ? health.details(event).then((details) => details?.[field] ?? null)
      : event[field];

/** The same for what hangs below an event. */
const rowInFull =
  <Field extends string>(field: Field) =>
  <Row extends { readonly [Name in Field]?: unknown }>(row: Row, _args: unknown, { health }: Context) => {
    const { origin } = row as { readonly origin?: Origin<Row> };
    return origin && row[field] === null
      ? health
          .details(origin.event)
          .then((details) => (details ? (origin.rowIn(details)?.[field] ?? null) : null))
      : (row[field] ?? null);
  };

export const healthEventResolvers: Resolvers = {
  Query: {
    healthEvent: (_root, { trackingId, subscriptionId }, { health }) =>
      health.event(trackingId, subscriptionId ?? null),
    healthEvents: (_root, { subscriptionId, since, ...page }, { health }) =>
      health.events({ ...page, subscriptionId: subscriptionId ?? null, since: since ?? null }),
  },
  HealthEvent: {
    __resolveReference: ({ scope, trackingId }, { health }) =>
      health.event(trackingId, scope === tenantScope ? null : scope),
    ...Object.fromEntries(withheld.map((field) => [field, inFull(field)])),
    impact: (event) => (mayBeWithheld(event) ? listedImpact(event) : event.impact),
  },
  HealthEventImpact: { impactedServiceGuid: rowInFull('impactedServiceGuid') },
  HealthEventRegion: { lastUpdateTime: rowInFull('lastUpdateTime'), updates: rowInFull('updates') },
  Subscription: {
    healthEventChanged: {
      // A failure inside a stream would close the whole socket; as an event it reaches this watcher, with its code.
      subscribe: (_root, { trackingId, subscriptionId }, { health }) =>
        mapEvents<HealthEventRecord | null, Change>(
          health.changes(trackingId, subscriptionId ?? null),
          (event) => ({ event }),
          (failure) => ({ failure }),
        ),
      resolve(change: Change) {
        if ('failure' in change) throw change.failure;
        return change.event;
      },
    },
  },
};
