import { findSegmentFault } from '../http/path-segment.ts';

/** Identifies an application server instance (source document, endpoints, B). */
export interface InstanceAddress {
  readonly subscriptionId: string;
  readonly resourceGroupName: string;
  readonly virtualInstanceName: string;
  readonly applicationInstanceName: string;
}

/** The settings from which the paths of area B are built. */
export interface InstanceApiSettings {
  readonly namespace: string;
  readonly segment: string;
  readonly apiVersion: string;
}

const addressFields = [
  'subscriptionId',
  'resourceGroupName',
  'virtualInstanceName',
  'applicationInstanceName',
] as const;

const maxResourceGroupLength = 90;

/** Checks each part of an address; empty where all are valid (source document, endpoints and limits, B). */
export function validateInstanceAddress(
  address: InstanceAddress,
): readonly { readonly name: (typeof addressFields)[number]; readonly message: string }[] {
  const faults = addressFields.flatMap((name) => {
    const fault = findSegmentFault(address[name]);
    return fault === null ? [] : [{ name, message: `\`${name}\` ${fault}` }];
  });
  if ([...address.resourceGroupName].length > maxResourceGroupLength) {
    const message = `\`resourceGroupName\` has more than ${maxResourceGroupLength} characters.`;
    faults.push({ name: 'resourceGroupName', message });
  }
  return faults;
}

/** Path and query of an instance, or of an action of it. The address must be valid. */
export function buildInstancePath(
  { namespace, segment, apiVersion }: InstanceApiSettings,
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
