import {
  type InstanceApiSettings,
  type ResourceNames,
  validateInstanceAddress,
} from '../instance-address.ts';
import {
  applicationInstances,
  centralInstances,
  databaseInstances,
  type ResourceForm,
  virtualInstances,
} from './resource-kinds.ts';

/** A resource of area B that an id names, and the list that contains it. */
interface NamedResource {
  readonly kind: ResourceForm<ResourceNames, ResourceNames, ResourceNames>;
  readonly scope: ResourceNames;
  readonly address: ResourceNames;
}

const instanceKinds = [
  { kind: applicationInstances, field: 'applicationInstanceName' },
  { kind: centralInstances, field: 'centralInstanceName' },
  { kind: databaseInstances, field: 'databaseInstanceName' },
] as const;

/** Finds what the id of a resource names; null for anything but a resource of area B. Case makes no difference in kinds. */
export function findNamedResource(
  { namespace, segment }: Pick<InstanceApiSettings, 'namespace' | 'segment'>,
  resourceId: string,
): NamedResource | null {
  const [before, ...segments] = resourceId.split('/');
  const [
    subscriptions,
    subscriptionId = '',
    groups,
    resourceGroupName = '',
    providers,
    provider,
    virtuals,
    virtualInstanceName = '',
    instances,
    name = '',
    ...beyond
  ] = segments;
  const prefix = [subscriptions, groups, providers, provider, virtuals].join('/').toLowerCase();
  const ours = `subscriptions/resourcegroups/providers/${namespace}/${segment}`.toLowerCase();
  if (before !== '' || prefix !== ours || beyond.length > 0) return null;

  const scope = { subscriptionId, resourceGroupName };
  const owner = { ...scope, virtualInstanceName };
  const found = instanceKinds.find(({ kind }) => kind.segment?.toLowerCase() === instances?.toLowerCase());
  const named =
    instances === undefined
      ? { kind: virtualInstances, scope, address: owner }
      : found && { kind: found.kind, scope: owner, address: { ...owner, [found.field]: name } };
  return named && validateInstanceAddress(named.address).length === 0 ? named : null;
}
