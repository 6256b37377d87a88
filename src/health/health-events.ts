import type { Resolvers } from '../generated/graphql.ts';
import type { Context } from '../graph/context.ts';
import type { FieldInfo } from '../graph/selection.ts';
import { toStreamItems, unwrapStreamItem } from '../runtime/async-iterators.ts';
import { tenantScope } from './event-address.ts';
import type { HealthEventRecord } from './event-record.ts';
import {
  isBlank,
  isWithheld,
  mayBeWithheld,
  needsDetails,
  seemsSensitive,
  shownFields,
  withheldFields,
} from './withheld-fields.ts';

/**
 * Resolves a field of an event. If the selection needs the event's details, these take precedence over the plain record. If
 * the details cannot be fetched, the fields that the plain record lacks fail.
 */
const resolveField =
  <Field extends keyof HealthEventRecord>(field: Field) =>
  (event: HealthEventRecord, _args: unknown, { health }: Context, { parentSelected }: FieldInfo) => {
    const shown = field === 'isEventSensitive' ? seemsSensitive(event) : event[field];
    if (!needsDetails(event, parentSelected)) return shown;
    return health.readDetails(event).then(
      (details) => details?.[field] ?? (isBlank(shown) ? null : shown),
      (failure: unknown) => {
        if (isWithheld(event, field)) throw failure;
        return field === 'impact' && mayBeWithheld(event) ? withFailure(event, failure) : shown;
      },
    );
  };

/** Returns the impact of a plain record with the failure to fetch the details, which the missing fields below it throw. */
const withFailure = ({ impact }: HealthEventRecord, failure: unknown) =>
  impact?.map((row) => ({
    ...row,
    failure,
    impactedRegions: isBlank(row.impactedRegions)
      ? null
      : row.impactedRegions?.map((region) => ({ ...region, failure })),
  })) ?? null;

const resolveBelowImpact = (field: string) => (row: Readonly<Record<string, unknown>>) => {
  const value = row[field] ?? null;
  if (row.failure !== undefined && isBlank(value)) throw row.failure;
  return value;
};

const belowImpact = (fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, resolveBelowImpact(field)]));

export const healthEventResolvers: Resolvers = {
  Query: {
    healthEvent: (_root, { trackingId, subscriptionId }, { health }) =>
      health.readEvent(trackingId, subscriptionId ?? null),
    healthEvents: (_root, { subscriptionId, since, ...page }, { health }) =>
      health.listEvents({ ...page, subscriptionId: subscriptionId ?? null, since: since ?? null }),
    managementSubscriptions: (_root, page, { health }) => health.listSubscriptions(page),
  },
  ManagementSubscription: {
    healthEvents: ({ id }, { since, ...page }, { health }) =>
      health.listEvents({ ...page, subscriptionId: id, since: since ?? null }),
  },
  HealthEvent: {
    __resolveReference: ({ scope, trackingId }, { health }) =>
      health.readEvent(trackingId, scope === tenantScope ? null : scope),
    ...Object.fromEntries([...shownFields, ...withheldFields].map((field) => [field, resolveField(field)])),
    impactedResources: (event, page, { health }) =>
      health.listImpactedResources(event, 'impactedResources', page),
    securityImpactedResources: (event, page, { health }) =>
      health.listImpactedResources(event, 'securityImpactedResources', page),
  },
  HealthEventImpact: belowImpact(['impactedService', 'impactedServiceGuid', 'impactedRegions']),
  HealthEventRegion: belowImpact([
    'impactedRegion',
    'impactedSubscriptions',
    'impactedTenants',
    'lastUpdateTime',
    'status',
    'statusRaw',
    'updates',
  ]),
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
};
