import { ApiError } from '../api-error.ts';

/** The location of an instance, as in the path of a request. */
export interface InstanceAddress {
  readonly subscription: string;
  readonly group: string;
  readonly namespace: string;
  readonly segment: string;
  readonly virtualInstance: string;
  readonly name: string;
}

/** The only location with instances. */
export const sandboxLocation = {
  subscription: '11111111-2222-4333-8444-555555555555',
  group: 'rg-north',
  virtualInstance: 'N01',
} as const;

/**
 * Throws an `ApiError` (404) for an unknown location. Subscription and resource group are case-insensitive (B,
 * parameters).
 */
export function checkLocation({ subscription, group, virtualInstance }: Omit<InstanceAddress, 'name'>): void {
  if (subscription.toLowerCase() !== sandboxLocation.subscription)
    throw notFoundError('Subscription', subscription);
  if (group.toLowerCase() !== sandboxLocation.group) throw notFoundError('ResourceGroup', group);
  if (virtualInstance !== sandboxLocation.virtualInstance)
    throw notFoundError('ParentResource', virtualInstance);
}

/** The fully qualified id of an instance. */
export function instanceId(instance: InstanceAddress): string {
  const { subscription, group, namespace, segment, virtualInstance, name } = instance;
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/${namespace}/${segment}/${virtualInstance}/applicationInstances/${name}`;
}

export function notFoundError(kind: string, name: string): ApiError {
  return new ApiError(404, `${kind}NotFound`, `The ${kind} '${name}' could not be found.`, { target: name });
}
