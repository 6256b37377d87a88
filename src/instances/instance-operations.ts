import type { Resolvers } from '../generated/graphql.ts';
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
      instances.stop({ ...input, softStopTimeoutSeconds: input.softStopTimeoutSeconds ?? 0 }),
  },
  Subscription: {
    operationProgress: {
      // An error inside a stream would close the whole socket; as an event it reaches this watcher, with its code.
      async *subscribe(_root, { id }, { instances }): AsyncGenerator<Progress> {
        try {
          for await (const record of instances.progress(id)) yield { record };
        } catch (failure) {
          yield { failure };
        }
      },
      resolve(event: Progress) {
        if ('failure' in event) throw event.failure;
        return event.record;
      },
    },
  },
};
