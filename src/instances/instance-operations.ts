import type { Resolvers } from '../generated/graphql.ts';
import { mapEvents } from '../operations/map-events.ts';
import type { OperationRecord } from './operation-status.ts';

/** An event of `operationProgress`: a state, or the error that ends the stream. */
type Progress = { readonly record: OperationRecord } | { readonly failure: unknown };

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
      // A failure inside a stream would close the whole socket; as an event it reaches this watcher, with its code.
      subscribe: async (_root, { id }, { instances }) =>
        mapEvents<OperationRecord, Progress>(
          await instances.progress(id),
          (record) => ({ record }),
          (failure) => ({ failure }),
        ),
      resolve(event: Progress) {
        if ('failure' in event) throw event.failure;
        return event.record;
      },
    },
  },
};
