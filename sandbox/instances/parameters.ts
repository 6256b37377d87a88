import { ApiError } from '../api-error.ts';
import { type ApiRequest, type ApiResponse, jsonResponse, parseQuery } from '../http.ts';
import { checkApiVersion, checkMethod } from '../management-requests.ts';
import {
  componentKinds,
  type InstanceAddress,
  type VirtualInstanceAddress,
  type VirtualInstanceScope,
} from './instance-address.ts';

export const instanceApiVersion = '2023-04-01';

/** What a path of area B addresses: a list, a virtual instance, an instance, or an action on it. */
export type InstanceTarget =
  | { readonly kind: 'virtualInstances'; readonly scope: VirtualInstanceScope }
  | {
      readonly kind: 'virtualInstance' | 'startSystem' | 'stopSystem';
      readonly address: VirtualInstanceAddress;
    }
  | { readonly kind: 'list' | 'instance' | 'start' | 'stop'; readonly address: InstanceAddress };

/** Parses path, method and api-version of a request for instances (B, parameters). */
export function parseInstanceTarget(request: ApiRequest, segments: readonly string[]): InstanceTarget {
  const target = parsePath(segments);
  if (target === null)
    throw new ApiError(404, 'InvalidResourceType', 'The resource type or operation could not be found.');

  const { kind } = target;
  if (kind === 'instance' && (request.method === 'PUT' || request.method === 'DELETE'))
    throw new ApiError(400, 'BadRequest', 'Only the service creates and deletes instances.');
  checkMethod(request, /^(start|stop)/.test(kind) ? 'POST' : 'GET');
  checkApiVersion(request, instanceApiVersion);
  const { subscription, group } = target.kind === 'virtualInstances' ? target.scope : target.address;
  if (group !== null && (group.length < 1 || group.length > 90))
    throw invalidParameterError('resourceGroupName', 'It must have 1 to 90 characters.');
  if (subscription === '') throw invalidParameterError('subscriptionId', 'It must not be empty.');
  return target;
}

/** Null for a path of no known kind. */
function parsePath([subscriptions, subscription = '', ...rest]: readonly string[]): InstanceTarget | null {
  const isInGroup = equalsIgnoringCase(rest[0], 'resourceGroups');
  const group = isInGroup ? (rest[1] ?? '') : null;
  const [providers, namespace = '', segment = '', virtualInstance, component, name, action, ...beyond] =
    rest.slice(isInGroup ? 2 : 0);
  const isKnown =
    equalsIgnoringCase(subscriptions, 'subscriptions') &&
    equalsIgnoringCase(providers, 'providers') &&
    beyond.length === 0;
  if (!isKnown) return null;
  if (virtualInstance === undefined)
    return /virtualInstances$/i.test(segment)
      ? { kind: 'virtualInstances', scope: { subscription, group, namespace, segment } }
      : null;
  if (group === null) return null;
  const address = { subscription, group, namespace, segment, virtualInstance };
  if (component === undefined) return { kind: 'virtualInstance', address };
  const systemAction = name === undefined ? parseAction(component) : undefined;
  if (systemAction) return { kind: `${systemAction}System`, address };
  const known = componentKinds.find((one) => equalsIgnoringCase(component, one));
  const kind = name === undefined ? 'list' : action === undefined ? 'instance' : parseAction(action);
  if (known === undefined || kind === undefined) return null;
  return { kind, address: { ...address, component: known, name: name ?? '' } };
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

/**
 * Responds with the requested page of a list. The URL of the next page, absent on the last, has the same query and a
 * `$skipToken`.
 */
export function respondWithPage<Row>(
  request: ApiRequest,
  rows: readonly Row[],
  size: number,
  toEntry: (row: Row) => unknown,
): ApiResponse {
  const token = parseQuery(request.query).get('$skipToken');
  const from = token === undefined ? 0 : readToken(token);
  const to = from + size;
  const value = rows.slice(from, to).map(toEntry);
  if (to >= rows.length) return jsonResponse(200, { value });
  const parts = request.query.split('&').filter((part) => !/^(\$|%24)skipToken=/i.test(part));
  const query = [...parts, `$skipToken=${encodeURIComponent(writeToken(to))}`].join('&');
  return jsonResponse(200, { value, nextLink: `${request.origin}${request.path}?${query}` });
}

function writeToken(from: number): string {
  return Buffer.from(`row:${from}`).toString('base64');
}

function readToken(token: string): number {
  const digits = /^row:(\d{1,9})$/.exec(Buffer.from(token, 'base64').toString('utf8'))?.[1];
  if (digits !== undefined) return Number(digits);
  throw new ApiError(400, 'InvalidParameter', 'The value of parameter $skipToken is invalid.', {
    target: '$skipToken',
  });
}
