import { segmentFault } from '../upstream/path-segment.ts';

/** Which application server instance is meant (document, endpoints, B). */
export interface InstanceAddress {
  readonly subscriptionId: string;
  readonly resourceGroupName: string;
  readonly virtualInstanceName: string;
  readonly applicationInstanceName: string;
}

/** Where this deployment's upstream has its instances. */
export interface InstancePlace {
  readonly namespace: string;
  readonly segment: string;
  readonly apiVersion: string;
}

const names = [
  'subscriptionId',
  'resourceGroupName',
  'virtualInstanceName',
  'applicationInstanceName',
] as const;

const maxResourceGroupLength = 90;

/** What is wrong with each name, as a sentence; empty when nothing is (document, endpoints and limits, B). */
export function addressFaults(
  address: InstanceAddress,
): readonly { readonly name: (typeof names)[number]; readonly message: string }[] {
  const faults = names.flatMap((name) => {
    const fault = segmentFault(address[name]);
    return fault === null ? [] : [{ name, message: `\`${name}\` ${fault}` }];
  });
  if ([...address.resourceGroupName].length > maxResourceGroupLength) {
    const message = `\`resourceGroupName\` has more than ${maxResourceGroupLength} characters.`;
    faults.push({ name: 'resourceGroupName', message });
  }
  return faults;
}

/** Path and query of an instance, or of something it can be told to do. The address must have no faults. */
export function instancePath(
  { namespace, segment, apiVersion }: InstancePlace,
  address: InstanceAddress,
  action?: 'stop' | 'start',
): string {
  const parts = [
    ['subscriptions', address.subscriptionId],
    ['resourceGroups', address.resourceGroupName],
    ['providers', namespace],
    [segment, address.virtualInstanceName],
    ['applicationInstances', address.applicationInstanceName],
  ];
  const path = parts.map(([kind, name]) => `/${kind}/${encodeURIComponent(name as string)}`).join('');
  return `${path}${action ? `/${action}` : ''}?api-version=${encodeURIComponent(apiVersion)}`;
}
