import { expectVersion } from '../api-version.ts';
import type { BearerCodes } from '../bearer.ts';
import { forbidden, readCaller } from '../bearer.ts';
import type { Answer, Call } from '../http.ts';
import { json } from '../http.ts';
import { place } from '../instances/instances.ts';
import { Refusal } from '../refusal.ts';
import { listEvents } from './event-list.ts';
import type { Events } from './events.ts';
import { isSensitive, plainOf } from './plain.ts';

const apiVersion = '2025-05-01';

const codes: BearerCodes = {
  missing: 'InvalidAuthenticationToken',
  expired: 'ExpiredAuthenticationToken',
  denied: 'AuthorizationFailed',
};

/** True for the paths of area C. */
export function isEventPath(segments: readonly string[]): boolean {
  const own = withoutScope(segments);
  return own[0]?.toLowerCase() === 'providers' && own[2]?.toLowerCase() === 'events';
}

/** True where refusals have the flat form of the document: everywhere but for a 403 of the list, as on the real service. */
export function isRefusedFlat(segments: readonly string[], status: number): boolean {
  return isEventPath(segments) && !(status === 403 && withoutScope(segments).length === 3);
}

/**
 * Answers a request of area C, for the tenant or for the sandbox's subscription: the list, an event as
 * plain reads show it, or its details. Who may fetch those of a sensitive event is not shown; here a
 * reader may not (gap: see docs/upstream.md).
 */
export function answerEvents(call: Call, segments: readonly string[], events: Events): Answer {
  const caller = readCaller(call, codes);
  const [, , , trackingId, action, ...beyond] = withoutScope(segments);
  const isFetch = action?.toLowerCase() === 'fetcheventdetails';
  if ((action !== undefined && !isFetch) || beyond.length > 0) {
    throw new Refusal(404, 'InvalidResourceType', 'The resource type or operation could not be found.');
  }
  expectMethod(call, isFetch ? 'POST' : 'GET');
  expectVersion(call, apiVersion);
  checkScope(segments);

  if (trackingId === undefined) return listEvents(call, events);
  const event = events.find(trackingId);
  if (!event) throw new Refusal(404, 'ResourceNotFound', `The event '${trackingId}' could not be found.`);
  if (!isFetch) return json(200, plainOf(event));
  if (isSensitive(event) && caller.isLimited) throw forbidden(codes);
  return json(200, event);
}

function expectMethod(call: Call, method: string): void {
  if (call.method === method) return;
  const headers = { allow: method };
  throw new Refusal(405, 'MethodNotAllowed', `The method '${call.method}' is not supported.`, { headers });
}

function checkScope(segments: readonly string[]): void {
  const subscription = isTenantWide(segments) ? undefined : segments[1];
  if (subscription === undefined || subscription.toLowerCase() === place.subscription) return;
  throw new Refusal(404, 'SubscriptionNotFound', `The subscription '${subscription}' could not be found.`);
}

function isTenantWide(segments: readonly string[]): boolean {
  return segments[0]?.toLowerCase() === 'providers';
}

/** The path from `providers` on. */
function withoutScope(segments: readonly string[]): readonly string[] {
  return isTenantWide(segments) ? segments : segments.slice(2);
}
