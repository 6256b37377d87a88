import type { Resolvers } from '../generated/graphql.ts';
import {
  applicationInstances,
  centralInstances,
  databaseInstances,
  virtualInstances,
} from './resources/resource-kinds.ts';

export const virtualInstanceResolvers: Resolvers = {
  Query: {
    virtualInstances: (_root, { subscriptionId, resourceGroupName = null, ...page }, { instances }) =>
      instances.listResources(virtualInstances, { subscriptionId, resourceGroupName }, page),
    virtualInstance: (_root, address, { instances }, info) => instances.readVirtualInstance(address, info),
    applicationInstance: (_root, address, { instances }) =>
      instances.readResource(applicationInstances, address),
  },
  VirtualInstance: {
    __resolveReference: (address, { instances }) => instances.readResource(virtualInstances, address),
    applicationInstances: (owner, page, { instances }) =>
      instances.listResources(applicationInstances, owner, page),
    centralInstances: (owner, page, { instances }) => instances.listResources(centralInstances, owner, page),
    databaseInstances: (owner, page, { instances }) =>
      instances.listResources(databaseInstances, owner, page),
  },
  ApplicationInstance: {
    __resolveReference: (address, { instances }) => instances.readResource(applicationInstances, address),
  },
  CentralInstance: {
    __resolveReference: (address, { instances }) => instances.readResource(centralInstances, address),
  },
  DatabaseInstance: {
    __resolveReference: (address, { instances }) => instances.readResource(databaseInstances, address),
  },
};
