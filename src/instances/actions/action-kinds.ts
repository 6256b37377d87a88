import type { ActionTarget, ResourceNames } from '../instance-address.ts';

/** A kind of resource that can be stopped and started, as its mutations derive from it. */
export interface ActionKind {
  /** The type in the graph. */
  readonly type: 'ApplicationInstance' | 'CentralInstance' | 'DatabaseInstance' | 'VirtualInstance';
  /** In texts, without an article. */
  readonly title: string;
  /** The field of `Query` that reads one. */
  readonly readField: string;
  /** The names in its address, in the order of its key, with their descriptions. */
  readonly names: readonly (readonly [field: keyof ActionTarget & string, description: string])[];
  /** What a stop and a start say beyond the action; null for nothing. */
  readonly note: string | null;
  /** Whether several can be stopped and started by one mutation. */
  readonly hasMany: boolean;
}

const ofVirtualInstance = [
  ['subscriptionId', 'The subscription that pays for the workload.'],
  ['resourceGroupName', 'The resource group of the workload, 1 to 90 characters; case makes no difference.'],
  ['virtualInstanceName', "The workload's virtual instance."],
] as const;

export const actionKinds: readonly ActionKind[] = [
  {
    type: 'ApplicationInstance',
    title: 'application server instance',
    readField: 'applicationInstance',
    names: [...ofVirtualInstance, ['applicationInstanceName', 'The application server instance.']],
    note: null,
    hasMany: true,
  },
  {
    type: 'CentralInstance',
    title: 'central instance',
    readField: 'virtualInstance.centralInstances',
    names: [...ofVirtualInstance, ['centralInstanceName', 'Its name within the virtual instance.']],
    note: null,
    hasMany: false,
  },
  {
    type: 'DatabaseInstance',
    title: 'database instance',
    readField: 'virtualInstance.databaseInstances',
    names: [...ofVirtualInstance, ['databaseInstanceName', 'Its name within the virtual instance.']],
    note: null,
    hasMany: false,
  },
  {
    type: 'VirtualInstance',
    title: 'virtual instance',
    readField: 'virtualInstance',
    names: ofVirtualInstance,
    note: 'Its application server instances and central instances are part of it, its databases are not.',
    hasMany: false,
  },
];

/** The kind of what an address names. */
export function kindOf(names: ResourceNames): ActionKind['type'] {
  if (names.applicationInstanceName != null) return 'ApplicationInstance';
  if (names.centralInstanceName != null) return 'CentralInstance';
  return names.databaseInstanceName == null ? 'VirtualInstance' : 'DatabaseInstance';
}
