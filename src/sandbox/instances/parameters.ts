import { expectVersion } from '../api-version.ts';
import type { BearerCodes } from '../bearer.ts';
import type { Call } from '../http.ts';
import { Refusal } from '../refusal.ts';
import type { InstanceAddress } from './instances.ts';

export const apiVersion = '2023-04-01';

export const codes: BearerCodes = {
  missing: 'InvalidAuthenticationToken',
  expired: 'ExpiredAuthenticationToken',
  denied: 'AuthorizationFailed',
};

/** What a path of area B asks for: all instances, one of them, or that something is done with it. */
export interface Target {
  readonly address: InstanceAddress;
  readonly kind: 'list' | 'instance' | 'start' | 'stop';
}

/** Reads path, method and api-version of a request about instances (B, parameters). */
export function readTarget(call: Call, segments: readonly string[]): Target {
  const [, subscription = '', groups, group = '', providers, namespace = '', segment = ''] = segments;
  const [virtualInstance = '', applications, name, action, ...beyond] = segments.slice(7);
  const kind = name === undefined ? 'list' : action === undefined ? 'instance' : readAction(action);
  const isKnown =
    same(segments[0], 'subscriptions') &&
    same(groups, 'resourceGroups') &&
    same(providers, 'providers') &&
    same(applications, 'applicationInstances') &&
    beyond.length === 0;
  if (!isKnown || kind === undefined)
    throw new Refusal(404, 'InvalidResourceType', 'The resource type or operation could not be found.');

  if (kind === 'instance' && (call.method === 'PUT' || call.method === 'DELETE'))
    throw new Refusal(400, 'BadRequest', 'Instances are made and deleted by the service only.');
  expectMethod(call, kind === 'start' || kind === 'stop' ? 'POST' : 'GET');
  expectVersion(call, apiVersion);
  if (group.length < 1 || group.length > 90) throw invalid('resourceGroupName', 'It has 1 to 90 characters.');
  if (subscription === '') throw invalid('subscriptionId', 'It has at least 1 character.');
  return { kind, address: { subscription, group, namespace, segment, virtualInstance, name: name ?? '' } };
}

/** The refusal of a parameter, or of a field of a body. */
export function invalid(target: string, reason: string): Refusal {
  return new Refusal(400, 'InvalidParameter', `The value of parameter ${target} is invalid.`, {
    target,
    details: [{ code: 'InvalidParameter', message: reason, target }],
  });
}

export function expectMethod(call: Call, method: string): void {
  if (call.method === method) return;
  const headers = { allow: method };
  throw new Refusal(405, 'MethodNotAllowed', `The method '${call.method}' is not supported.`, { headers });
}

/** Fixed words of a path compare without regard to case, as in the real service. */
export function same(segment: string | undefined, word: string): boolean {
  return segment?.toLowerCase() === word.toLowerCase();
}

function readAction(word: string): 'start' | 'stop' | undefined {
  return (['start', 'stop'] as const).find((action) => same(word, action));
}
