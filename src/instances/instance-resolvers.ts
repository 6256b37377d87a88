import { InputError } from '../errors.ts';
import type { Resolvers } from '../generated/graphql.ts';
import type { Context } from '../graph/context.ts';
import { toStreamItems, unwrapStreamItem } from '../runtime/async-iterators.ts';
import { maxInstances } from './actions/action-type-defs.ts';
import {
  type ActionKind,
  actionKinds,
  findReferencedAddress,
  type InstanceAction,
  type InstanceReference,
  unknownNodeId,
} from './actions/actions.ts';
import type { OperationRecord } from './operations/operation-handle.ts';
import {
  applicationInstances,
  centralInstances,
  databaseInstances,
  virtualInstances,
} from './resources/resource-kinds.ts';

/** The parameters of an action, equal in the inputs of all kinds. */
interface Parameters {
  readonly softStopTimeoutSeconds?: number | null;
  readonly deallocateVm?: boolean | null;
  readonly startVm?: boolean | null;
}

const toAction = (
  name: InstanceAction['action'],
  { softStopTimeoutSeconds, deallocateVm, startVm }: Parameters,
): InstanceAction =>
  name === 'stop'
    ? {
        action: 'stop',
        softStopTimeoutSeconds: softStopTimeoutSeconds ?? 0,
        deallocateVm: deallocateVm ?? false,
      }
    : { action: 'start', startVm: startVm ?? false };

const toUnknownNodeResult = (kind: ActionKind) => ({ operation: null, userErrors: [unknownNodeId(kind)] });

function createMutations(kind: ActionKind, name: InstanceAction['action']) {
  const { type, readField, hasMany } = kind;
  const actOnOne = (
    _root: unknown,
    { input: { instance, ...rest } }: { input: Parameters & { readonly instance: InstanceReference } },
    { instances }: Context,
  ) => {
    const address = findReferencedAddress(kind, instance);
    return address
      ? instances.sendAction({ ...address, ...toAction(name, rest) }, readField)
      : toUnknownNodeResult(kind);
  };
  const actOnMany = async (
    _root: unknown,
    {
      input: { instances: references, ...rest },
    }: {
      input: Parameters & { readonly instances: readonly InstanceReference[] };
    },
    { instances }: Context,
  ) => {
    requireCount('instances', references);
    const targets = references.map(
      (reference) => findReferencedAddress(kind, reference) ?? toUnknownNodeResult(kind),
    );
    return { results: await instances.sendActions(targets, toAction(name, rest), readField) };
  };
  return { [name + type]: actOnOne, ...(hasMany && { [`${name}${type}s`]: actOnMany }) };
}

function requireCount(name: string, { length }: readonly unknown[]): void {
  if (length < 1 || length > maxInstances)
    throw new InputError(`\`${name}\` takes 1 to ${maxInstances}, not ${length}.`);
}

const mutations = Object.assign(
  {},
  ...actionKinds.flatMap((kind) => [createMutations(kind, 'stop'), createMutations(kind, 'start')]),
);

export const instanceResolvers: Resolvers = {
  Query: {
    virtualInstances: (_root, { subscriptionId, resourceGroupName = null, ...page }, { instances }) =>
      instances.listResources(virtualInstances, { subscriptionId, resourceGroupName }, page),
    virtualInstance: (_root, address, { instances }, { selected }) =>
      instances.readVirtualInstance(address, selected),
    applicationInstance: (_root, address, { instances }) =>
      instances.readResource(applicationInstances, address),
    instanceOperation: (_root, { id }, { instances }) => instances.readOperation(id),
    operations: (_root, { filter }, { instances }, { selected }) =>
      instances.listOperations(filter, selected),
  },
  ManagementSubscription: {
    virtualInstances: ({ id }, page, { instances }) =>
      instances.listResources(virtualInstances, { subscriptionId: id, resourceGroupName: null }, page),
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
  InstanceOperation: {
    __resolveReference: ({ id }, { instances }) => instances.readOperation(id),
  },
  Mutation: mutations,
  Subscription: {
    operationProgress: {
      subscribe: async (_root, { id }, { instances }) => toStreamItems(await instances.watchOperation(id)),
      resolve: unwrapStreamItem<OperationRecord>,
    },
    operationsProgress: {
      subscribe: async (_root, { ids }, { instances }) => {
        requireCount('ids', ids);
        return toStreamItems(await instances.watchOperations(ids));
      },
      resolve: unwrapStreamItem<OperationRecord>,
    },
  },
};
