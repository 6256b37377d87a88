import { sandboxLocation } from '../instances/instance-address.ts';
import { derivedGuid } from '../seeded.ts';

/** A resource that an event affects, as the `properties` of an entry of the list. */
export interface ImpactedResource {
  readonly targetResourceId?: string;
  readonly targetResourceType?: string;
  readonly targetRegion?: string;
  readonly info?: readonly { readonly key: string; readonly value: string }[];
}

/** The resources of an event: those of the usual list, and those of a security advisory. */
export interface Impact {
  readonly impactedResources: readonly ImpactedResource[];
  readonly securityImpactedResources: readonly ImpactedResource[];
}

const groupId = (group: string) => `/subscriptions/${sandboxLocation.subscription}/resourceGroups/${group}`;

const machine = (group: string, name: string): ImpactedResource => ({
  targetResourceId: `${groupId(group)}/providers/Vendor.Compute/virtualMachines/${name}`,
  targetResourceType: 'Vendor.Compute/virtualMachines',
  targetRegion: 'north',
  info: [{ key: 'ResourceName', value: name }],
});

const workload = (group: string, path: string, type: string): ImpactedResource => ({
  targetResourceId: `${groupId(group)}/providers/Vendor.Workloads/virtualInstances/${path}`,
  targetResourceType: `Vendor.Workloads/virtualInstances${type}`,
  targetRegion: 'north',
});

const only = (impactedResources: readonly ImpactedResource[]): Impact => ({
  impactedResources,
  securityImpactedResources: [],
});

const accounts = (count: number): Impact => ({
  impactedResources: [],
  securityImpactedResources: Array.from({ length: count }, (_one, index) => ({
    info: [
      { key: 'ResourceName', value: `account${index + 1}` },
      { key: 'ResourceGroup', value: 'rg-north' },
    ],
  })),
});

const app = (group: string, path: string) => workload(group, path, '/applicationInstances');
const database = (group: string, path: string) => workload(group, path, '/databaseInstances');

/** What the seeded events affect, by tracking id; other events have no resources. */
export const seedImpact = (): Map<string, Impact> =>
  new Map(
    Object.entries({
      'SI_2-NOW': only(
        Array.from({ length: 12 }, (_one, index) =>
          machine('rg-east', `vm-app${String(index + 1).padStart(2, '0')}`),
        ),
      ),
      'SI_3-HTM': only([
        app('rg-north', 'N01/applicationInstances/app01'),
        // The real service writes ids in any case.
        app('RG-EAST', 'E01/applicationInstances/app03'),
        workload('rg-east', 'E01', ''),
        database('rg-east', 'E01/databaseInstances/gone'),
        machine('rg-north', 'vm-app02'),
        { info: [{ key: 'ResourceName', value: 'an entry without a resource' }] },
      ]),
      'PM_8-SQL': only(['db0', 'db1'].map((name) => database('rg-east', `E01/databaseInstances/${name}`))),
      'SA_1-CRT': accounts(2),
      'SA_5-XYZ': accounts(7),
    }),
  );

/** The entry of a list. */
export const toImpactedEntry = (eventId: string, properties: ImpactedResource): Record<string, unknown> => {
  const name = derivedGuid(`impact:${eventId}:${JSON.stringify(properties)}`);
  return {
    id: `${eventId}/impactedResources/${name}`,
    name,
    type: 'Vendor.Health/events/impactedResources',
    properties,
  };
};
