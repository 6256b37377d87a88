import type { Resolvers } from '../generated/graphql.ts';
import type { Context } from '../graph/context.ts';
import type { EventListQuery } from '../health/health.ts';
import type { VirtualInstanceAddress } from '../instances/instance-address.ts';
import {
  applicationInstances,
  centralInstances,
  databaseInstances,
} from '../instances/resources/resource-kinds.ts';

// Joins areas B and C, which do not import each other.

interface Machine {
  readonly virtualMachineId?: string | null | undefined;
}
type Instance = VirtualInstanceAddress & { readonly virtualMachines: readonly Machine[] };
type EventsQuery = Partial<Omit<EventListQuery, 'subscriptionId'>>;

const readAvailability = (address: VirtualInstanceAddress, _args: unknown, context: Context) =>
  context.health.readAvailability(context.instances.resourceIdOf(address));

const readMachineAvailability = ({ virtualMachineId }: Machine, _args: unknown, { health }: Context) =>
  virtualMachineId == null ? null : health.readAvailability(virtualMachineId);

const machineIdsOf = (instances: readonly Instance[]): readonly string[] =>
  instances.flatMap(({ virtualMachines }) =>
    virtualMachines.flatMap(({ virtualMachineId }) => virtualMachineId ?? []),
  );

const listEvents = (
  { health, instances }: Context,
  address: VirtualInstanceAddress,
  ids: readonly string[],
  { since = null, ...query }: EventsQuery,
) =>
  health.listEventsOf(
    { root: instances.resourceIdOf(address), ids },
    { ...query, since, subscriptionId: address.subscriptionId },
  );

const instanceResolvers = {
  availability: readAvailability,
  healthEvents: (instance: Instance, query: EventsQuery, context: Context) =>
    listEvents(context, instance, machineIdsOf([instance]), query),
};

const machineResolvers = { availability: readMachineAvailability };

export const instanceHealthResolvers: Resolvers = {
  ApplicationInstance: instanceResolvers,
  CentralInstance: instanceResolvers,
  DatabaseInstance: instanceResolvers,
  VirtualInstance: {
    availability: readAvailability,
    async healthEvents(owner, query, context) {
      const { instances } = context;
      const lists = await Promise.all([
        instances.readList(applicationInstances, owner),
        instances.readList(centralInstances, owner),
        instances.readList(databaseInstances, owner),
      ]);
      return listEvents(context, owner, machineIdsOf(lists.flat()), query);
    },
  },
  ApplicationInstanceMachine: machineResolvers,
  CentralInstanceMachine: machineResolvers,
  DatabaseInstanceMachine: machineResolvers,
  HealthEventImpactedResource: {
    instance: ({ targetResourceId }, _args, { instances }) =>
      targetResourceId === null ? null : instances.findResource(targetResourceId),
  },
};
