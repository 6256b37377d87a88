import type { Resolvers } from '../generated/graphql.ts';
import type { Context } from '../graph/context.ts';
import { eventOf, toldOf } from '../operations/map-events.ts';
import { listedImpact, mayBeWithheld, type Origin, withheld } from './details.ts';
import { tenantScope } from './event-address.ts';
import type { HealthEventRecord } from './event-record.ts';

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
      subscribe: (_root, { trackingId, subscriptionId }, { health }) =>
        toldOf(health.changes(trackingId, subscriptionId ?? null)),
      resolve: eventOf<HealthEventRecord | null>,
    },
  },
};
