import type { Resolvers } from '../generated/graphql.ts';

export const applicationInstanceResolvers: Resolvers = {
  Query: {
    applicationInstance: (_root, address, { instances }) => instances.readInstance(address),
  },
  ApplicationInstance: {
    __resolveReference: (address, { instances }) => instances.readInstance(address),
  },
};
