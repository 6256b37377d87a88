import type { Resolvers } from '../generated/graphql.ts';
import { eventOf, toldOf } from '../operations/map-events.ts';
import type { OperationRecord } from './operation-status.ts';

export const instanceOperationResolvers: Resolvers = {
  Query: {
    instanceOperation: (_root, { id }, { instances }) => instances.operation(id),
  },
  InstanceOperation: {
    __resolveReference: ({ id }, { instances }) => instances.operation(id),
  },
  Mutation: {
    stopApplicationInstance: (_root, { input }, { instances }) =>
      instances.act({ ...input, action: 'stop', softStopTimeoutSeconds: input.softStopTimeoutSeconds ?? 0 }),
    startApplicationInstance: (_root, { input }, { instances }) =>
      instances.act({ ...input, action: 'start' }),
  },
  Subscription: {
    operationProgress: {
      subscribe: async (_root, { id }, { instances }) => toldOf(await instances.progress(id)),
      resolve: eventOf<OperationRecord>,
    },
  },
};
