import type { Resolvers } from '../generated/graphql.ts';
import { applicationInstances } from './resources/resource-kinds.ts';

export const applicationInstanceResolvers: Resolvers = {
  Query: {
    applicationInstance: (_root, address, { instances }) =>
      instances.readResource(applicationInstances, address),
  },
  ApplicationInstance: {
    __resolveReference: (address, { instances }) => instances.readResource(applicationInstances, address),
  },
};
