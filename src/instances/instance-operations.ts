import type { Resolvers } from '../generated/graphql.ts';
import { toStreamItems, unwrapStreamItem } from '../runtime/async-iterators.ts';
import type { OperationRecord } from './operation-handle.ts';

export const instanceOperationResolvers: Resolvers = {
  Query: {
    instanceOperation: (_root, { id }, { instances }) => instances.readOperation(id),
    operations: (_root, { filter }, { instances }, info) => instances.listOperations(filter, info),
  },
  InstanceOperation: {
    __resolveReference: ({ id }, { instances }) => instances.readOperation(id),
  },
  Mutation: {
    stopApplicationInstance: (_root, { input }, { instances }) =>
      instances.sendAction({
        ...input,
        action: 'stop',
        softStopTimeoutSeconds: input.softStopTimeoutSeconds ?? 0,
      }),
    startApplicationInstance: (_root, { input }, { instances }) =>
      instances.sendAction({ ...input, action: 'start' }),
  },
  Subscription: {
    operationProgress: {
      subscribe: async (_root, { id }, { instances }) => toStreamItems(await instances.watchOperation(id)),
      resolve: unwrapStreamItem<OperationRecord>,
    },
  },
};
