import type { Resolvers } from '../generated/graphql.ts';
import { tenantScope } from './event-address.ts';

export const healthEventResolvers: Resolvers = {
  Query: {
    healthEvent: (_root, { trackingId, subscriptionId }, { health }) =>
      health.event(trackingId, subscriptionId ?? null),
  },
  HealthEvent: {
    __resolveReference: ({ scope, trackingId }, { health }) =>
      health.event(trackingId, scope === tenantScope ? null : scope),
  },
};
