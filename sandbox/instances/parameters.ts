import { ApiError } from '../api-error.ts';
import type { ApiRequest } from '../http.ts';
import { checkApiVersion, checkMethod } from '../management-requests.ts';
import type { InstanceAddress } from './instance-address.ts';

export const instanceApiVersion = '2023-04-01';

/** What a path of area B addresses: all instances, an instance, or an action on it. */
export interface InstanceTarget {
  readonly address: InstanceAddress;
  readonly kind: 'list' | 'instance' | 'start' | 'stop';
}

/** Parses path, method and api-version of a request for instances (B, parameters). */
export function parseInstanceTarget(request: ApiRequest, segments: readonly string[]): InstanceTarget {
  const [, subscription = '', groups, group = '', providers, namespace = '', segment = ''] = segments;
  const [virtualInstance = '', applications, name, action, ...beyond] = segments.slice(7);
  const kind = name === undefined ? 'list' : action === undefined ? 'instance' : parseAction(action);
  const isKnown =
    equalsIgnoringCase(segments[0], 'subscriptions') &&
    equalsIgnoringCase(groups, 'resourceGroups') &&
    equalsIgnoringCase(providers, 'providers') &&
    equalsIgnoringCase(applications, 'applicationInstances') &&
    beyond.length === 0;
  if (!isKnown || kind === undefined)
    throw new ApiError(404, 'InvalidResourceType', 'The resource type or operation could not be found.');

  if (kind === 'instance' && (request.method === 'PUT' || request.method === 'DELETE'))
    throw new ApiError(400, 'BadRequest', 'Only the service creates and deletes instances.');
  checkMethod(request, kind === 'start' || kind === 'stop' ? 'POST' : 'GET');
  checkApiVersion(request, instanceApiVersion);
  if (group.length < 1 || group.length > 90)
    throw invalidParameterError('resourceGroupName', 'It must have 1 to 90 characters.');
  if (subscription === '') throw invalidParameterError('subscriptionId', 'It must not be empty.');
  return { kind, address: { subscription, group, namespace, segment, virtualInstance, name: name ?? '' } };
}

/** The error for an invalid parameter or body field. */
export function invalidParameterError(target: string, reason: string): ApiError {
  return new ApiError(400, 'InvalidParameter', `The value of parameter ${target} is invalid.`, {
    target,
    details: [{ code: 'InvalidParameter', message: reason, target }],
  });
}

/** Compares fixed segments of a path, which are case-insensitive as on the real service. */
export function equalsIgnoringCase(segment: string | undefined, word: string): boolean {
  return segment?.toLowerCase() === word.toLowerCase();
}

function parseAction(word: string): 'start' | 'stop' | undefined {
  return (['start', 'stop'] as const).find((action) => equalsIgnoringCase(word, action));
}
