import { ApiError } from '../api-error.ts';
import { derivedGuid } from '../seeded.ts';

/** Where virtual instances are listed, as in the path of a request. */
export interface VirtualInstanceScope {
  readonly subscription: string;
  /** Null for all resource groups of the subscription. */
  readonly group: string | null;
  readonly namespace: string;
  readonly segment: string;
}

/** The location of a virtual instance. */
export interface VirtualInstanceAddress extends VirtualInstanceScope {
  readonly group: string;
  readonly virtualInstance: string;
}

/** The kinds of components of a virtual instance, as in paths. */
export const componentKinds = ['applicationInstances', 'centralInstances', 'databaseInstances'] as const;
export type ComponentKind = (typeof componentKinds)[number];

/** The location of a component. */
export interface InstanceAddress extends VirtualInstanceAddress {
  readonly component: ComponentKind;
  readonly name: string;
}

/** The location of the instances that are named for what they do. */
export const sandboxLocation = {
  subscription: '11111111-2222-4333-8444-555555555555',
  group: 'rg-north',
  virtualInstance: 'N01',
} as const;

/** Subscriptions that every token sees; only the first has instances and events. */
export const sandboxSubscriptions = [
  { subscriptionId: sandboxLocation.subscription, displayName: 'Workloads', state: 'Enabled' },
  { subscriptionId: derivedGuid('subscription:trial'), displayName: 'Trial', state: 'Disabled' },
  { subscriptionId: derivedGuid('subscription:late'), displayName: 'Late payer', state: 'PastDue' },
  { subscriptionId: derivedGuid('subscription:odd'), displayName: 'Odd one', state: 'Paused' },
] as const;

/** Whether a subscription has instances and events; undefined for one that does not exist. */
export function hasWorkloads(subscription: string): boolean | undefined {
  const id = subscription.toLowerCase();
  const isKnown = sandboxSubscriptions.some(({ subscriptionId }) => subscriptionId === id);
  return isKnown ? id === sandboxLocation.subscription : undefined;
}

/** The fully qualified id of a virtual instance. */
export function virtualInstanceId(address: VirtualInstanceAddress): string {
  const { subscription, group, namespace, segment, virtualInstance } = address;
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/${namespace}/${segment}/${virtualInstance}`;
}

/** The fully qualified id of an instance. */
export const instanceId = (instance: InstanceAddress): string =>
  `${virtualInstanceId(instance)}/${instance.component}/${instance.name}`;

export function notFoundError(kind: string, name: string): ApiError {
  return new ApiError(404, `${kind}NotFound`, `The ${kind} '${name}' could not be found.`, { target: name });
}
