import type { Resolvers } from '../generated/graphql.ts';
import type { Context } from '../graph/context.ts';
import { toStreamItems, unwrapStreamItem } from '../runtime/async-iterators.ts';
import { tenantScope } from './event-address.ts';
import type { HealthEventRecord } from './event-record.ts';
import { withTextFormats } from './health-texts.ts';
import { type DetailOrigin, isBlank, withDetailOrigins, withheldFields } from './withheld-fields.ts';

/** Resolves a field, with a fetch of the event's details where a plain read may have withheld it. */
const resolveWithheldField =
  <Field extends keyof HealthEventRecord>(field: Field) =>
  (event: HealthEventRecord, _args: unknown, { health }: Context) =>
    isBlank(event[field]) && health.mayBeWithheld(event)
      ? health.readDetails(event).then((details) => details?.[field] ?? null)
      : event[field];

/** The same for an object below an event. */
const resolveWithheldRowField =
  <Field extends string>(field: Field) =>
  <Row extends { readonly [Name in Field]?: unknown }>(row: Row, _args: unknown, { health }: Context) => {
    const { origin } = row as { readonly origin?: DetailOrigin<Row> };
    return origin && isBlank(row[field])
      ? health
          .readDetails(origin.event)
          .then((details) => (details ? (origin.findIn(details)?.[field] ?? null) : null))
      : (row[field] ?? null);
  };

export const healthEventResolvers: Resolvers = withTextFormats({
  Query: {
    healthEvent: (_root, { trackingId, subscriptionId }, { health }) =>
      health.readEvent(trackingId, subscriptionId ?? null),
    healthEvents: (_root, { subscriptionId, since, ...page }, { health }) =>
      health.listEvents({ ...page, subscriptionId: subscriptionId ?? null, since: since ?? null }),
    managementSubscriptions: (_root, page, { health }) => health.listSubscriptions(page),
  },
  HealthEvent: {
    __resolveReference: ({ scope, trackingId }, { health }) =>
      health.readEvent(trackingId, scope === tenantScope ? null : scope),
    ...Object.fromEntries(withheldFields.map((field) => [field, resolveWithheldField(field)])),
    impact: (event, _args, { health }) =>
      health.mayBeWithheld(event) ? withDetailOrigins(event) : event.impact,
    impactedResources: (event, page, { health }) =>
      health.listImpactedResources(event, 'impactedResources', page),
    securityImpactedResources: (event, page, { health }) =>
      health.listImpactedResources(event, 'securityImpactedResources', page),
  },
  HealthEventImpact: { impactedServiceGuid: resolveWithheldRowField('impactedServiceGuid') },
  HealthEventRegion: {
    lastUpdateTime: resolveWithheldRowField('lastUpdateTime'),
    updates: resolveWithheldRowField('updates'),
  },
  Subscription: {
    healthEventChanged: {
      subscribe: (_root, { trackingId, subscriptionId }, { health }) =>
        toStreamItems(health.watchEvent(trackingId, subscriptionId ?? null)),
      resolve: unwrapStreamItem<HealthEventRecord | null>,
    },
    healthEventsChanged: {
      subscribe: (_root, { subscriptionId, filter }, { health }) =>
        toStreamItems(health.watchEvents(subscriptionId ?? null, filter)),
      resolve: unwrapStreamItem<HealthEventRecord>,
    },
  },
});
