import { findSegmentFault } from '../http/path-segment.ts';

export interface VirtualInstanceAddress {
  readonly subscriptionId: string;
  readonly resourceGroupName: string;
  readonly virtualInstanceName: string;
}

/** The settings from which the paths of area B are built. */
export interface InstanceApiSettings {
  readonly namespace: string;
  readonly segment: string;
  readonly apiVersion: string;
}

/** The path segment of each kind of instance, by the field that names the instance. */
export const instanceSegments = {
  applicationInstanceName: 'applicationInstances',
  centralInstanceName: 'centralInstances',
  databaseInstanceName: 'databaseInstances',
} as const;
export type InstanceField = keyof typeof instanceSegments;
export type InstanceSegment = (typeof instanceSegments)[InstanceField];

/** Identifies an instance, such as an application server instance (source document, endpoints, B). */
export type InstanceAddress<Field extends InstanceField> = VirtualInstanceAddress &
  Readonly<Record<Field, string>>;

const instanceNames = Object.keys(instanceSegments) as InstanceField[];
const addressFields = [
  'subscriptionId',
  'resourceGroupName',
  'virtualInstanceName',
  ...instanceNames,
] as const;
type AddressField = (typeof addressFields)[number];

/** The names in a path, which may be incomplete. */
export type ResourceNames = { readonly [Field in AddressField]?: string | null };

/** A resource that can be stopped and started: a virtual instance or one of its instances. */
export type ActionTarget = VirtualInstanceAddress & ResourceNames;

/** Returns all names of an address in the order of its path; null for a missing name. */
export const toAllNames = <Address extends ResourceNames>(
  address: Address,
): Readonly<Record<AddressField, string | null>> & Address =>
  Object.fromEntries(addressFields.map((name) => [name, address[name] ?? null])) as Record<
    AddressField,
    string | null
  > &
    Address;

/** Returns a key that is equal for two addresses of one resource. Names are case-insensitive. */
export const addressKey = (address: ResourceNames): string =>
  JSON.stringify(toAllNames(address)).toLowerCase();

const maxResourceGroupLength = 90;
// Handles of operations contain names, so their length is limited. Names of the real service have at most 90 characters.
const maxNameLength = 256;

/** Checks each name of an address; returns no faults if all are valid (source document, endpoints and limits, B). */
export function validateInstanceAddress(
  address: ResourceNames,
): readonly { readonly name: AddressField; readonly message: string }[] {
  const faults = addressFields.flatMap((name) => {
    const value = address[name];
    const fault = value == null ? null : findNameFault(value);
    return fault === null ? [] : [{ name, message: `\`${name}\` ${fault}` }];
  });
  if ([...(address.resourceGroupName ?? '')].length > maxResourceGroupLength) {
    const message = `\`resourceGroupName\` has more than ${maxResourceGroupLength} characters.`;
    faults.push({ name: 'resourceGroupName', message });
  }
  return faults;
}

const findNameFault = (name: string): string | null =>
  name.length > maxNameLength ? `has more than ${maxNameLength} characters.` : findSegmentFault(name);

/** Builds the path of a resource, or of an action or list `below` it. The address must be valid. */
export function buildResourcePath(
  { namespace, segment }: Pick<InstanceApiSettings, 'namespace' | 'segment'>,
  address: ResourceNames,
  below?: string,
): string {
  const parts: (readonly [kind: string, name: string | null | undefined])[] = [
    ['subscriptions', address.subscriptionId],
    ['resourceGroups', address.resourceGroupName],
    ['providers', namespace],
    [segment, address.virtualInstanceName],
    ...instanceNames.map((name) => [instanceSegments[name], address[name]] as const),
  ];
  const path = parts.flatMap(([kind, name]) => (name == null ? [] : `/${kind}/${encodeURIComponent(name)}`));
  return `${path.join('')}${below === undefined ? '' : `/${below}`}`;
}

/** Builds the path and query of a resource or of one of its actions. The address must be valid. */
export const buildInstancePath = (
  settings: InstanceApiSettings,
  address: ResourceNames,
  action?: 'stop' | 'start',
): string =>
  `${buildResourcePath(settings, address, action)}?api-version=${encodeURIComponent(settings.apiVersion)}`;
