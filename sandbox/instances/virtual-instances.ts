import { defaultBehaviour } from './behaviour.ts';
import {
  type ComponentKind,
  hasWorkloads,
  type InstanceAddress,
  notFoundError,
  sandboxLocation,
  type VirtualInstanceAddress,
  type VirtualInstanceScope,
} from './instance-address.ts';
import { createDemoInstances, createInstances, type Instance, type Instances } from './instances.ts';

export interface VirtualInstance {
  readonly group: string;
  readonly name: string;
  readonly environment: 'Prod' | 'NonProd';
  /** Merged into its `properties`. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly components: Readonly<Record<ComponentKind, Instances>>;
}

const monitoringFailed = {
  properties: { code: 'MonitoringFailed', message: 'An instance could not be monitored.', details: [] },
};

/** N01 has the instances that are named for what they do, in a demo plain ones; those of E01 all behave by the default. */
export function createVirtualInstances(isDemo: boolean): [VirtualInstance, ...VirtualInstance[]] {
  const counts = { applicationInstances: 24, centralInstances: 2, databaseInstances: 2 };
  return [
    {
      group: sandboxLocation.group,
      name: sandboxLocation.virtualInstance,
      environment: 'NonProd',
      properties: { errors: monitoringFailed },
      components: {
        applicationInstances: isDemo ? createDemoInstances() : createInstances(),
        centralInstances: createComponents(2, (index) => `cs${index}`),
        databaseInstances: createComponents(1, (index) => `db${index}`),
      },
    },
    createFleet('rg-east', 'E01', counts, { errors: monitoringFailed }),
  ];
}

/** How many components of each kind a virtual instance has. */
export type ComponentCounts = Readonly<Record<ComponentKind, number>>;

/**
 * A virtual instance whose components all behave by the default: app001 to app500, cs0, db0. Its last central instance and
 * its last database have these properties, too.
 */
export function createFleet(
  group: string,
  name: string,
  counts: ComponentCounts,
  ofLast: Readonly<Record<string, unknown>> = {},
): VirtualInstance {
  const digits = Math.max(2, String(counts.applicationInstances).length);
  const appName = (index: number) => `app${String(index + 1).padStart(digits, '0')}`;
  return {
    group: group.toLowerCase(),
    name,
    environment: 'Prod',
    properties: { errors: null },
    components: {
      applicationInstances: createComponents(counts.applicationInstances, appName),
      centralInstances: createComponents(counts.centralInstances, (index) => `cs${index}`, ofLast),
      databaseInstances: createComponents(counts.databaseInstances, (index) => `db${index}`, ofLast),
    },
  };
}

/** Components of the default behaviour; the last one has these properties, too. */
function createComponents(
  count: number,
  nameAt: (index: number) => string,
  ofLast: Readonly<Record<string, unknown>> = {},
): Instances {
  const instances = Array.from({ length: count }, (_one, index): Instance => {
    const properties = index === count - 1 ? ofLast : {};
    return { name: nameAt(index), behaviour: { ...defaultBehaviour, properties } };
  });
  return new Map(instances.map((instance) => [instance.name, instance]));
}

/**
 * The virtual instances of a subscription, or of one of its resource groups. Throws an `ApiError` (404) for an unknown
 * one. Both are case-insensitive (B, parameters).
 */
export function listVirtualInstances(
  all: readonly VirtualInstance[],
  { subscription, group }: VirtualInstanceScope,
): readonly VirtualInstance[] {
  const isUsed = hasWorkloads(subscription);
  if (isUsed === undefined) throw notFoundError('Subscription', subscription);
  const found = isUsed ? all.filter((one) => group === null || one.group === group.toLowerCase()) : [];
  if (found.length === 0 && group !== null) throw notFoundError('ResourceGroup', group);
  return found;
}

/** Throws an `ApiError` (404) when there is none; `kind` begins its code. Names are case-insensitive, as on the real service. */
export function findVirtualInstance(
  all: readonly VirtualInstance[],
  address: VirtualInstanceAddress,
  kind: 'Resource' | 'ParentResource',
): VirtualInstance {
  const wanted = address.virtualInstance.toLowerCase();
  const found = listVirtualInstances(all, address).find(({ name }) => name.toLowerCase() === wanted);
  if (!found) throw notFoundError(kind, address.virtualInstance);
  return found;
}

/**
 * The components of one kind by name, and the instance that is addressed, if any. Responses contain the names as they
 * are stored, whatever the case of the request. Throws an `ApiError` (404) where there is no such virtual instance.
 */
export function findComponents(all: readonly VirtualInstance[], address: InstanceAddress) {
  const { group, name: virtualInstance, components } = findVirtualInstance(all, address, 'ParentResource');
  const instances = components[address.component];
  const wanted = address.name.toLowerCase();
  const instance =
    instances.get(address.name) ?? [...instances.values()].find(({ name }) => name.toLowerCase() === wanted);
  return { instances, instance, stored: { ...address, group, virtualInstance } };
}
