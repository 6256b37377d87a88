import { expectVersion } from '../api-version.ts';
import type { BearerCodes } from '../bearer.ts';
import { forbidden, readCaller } from '../bearer.ts';
import type { Answer, Call } from '../http.ts';
import { json } from '../http.ts';
import { place } from '../instances/instances.ts';
import { Refusal } from '../refusal.ts';
import { healthEvents } from '../seed/health-events.ts';

const apiVersion = '2025-05-01';

const codes: BearerCodes = {
  missing: 'InvalidAuthenticationToken',
  expired: 'ExpiredAuthenticationToken',
  denied: 'AuthorizationFailed',
};

/** True for the paths of area C, whose refusals have the flat form. */
export function isEventPath(segments: readonly string[]): boolean {
  const own = segments[0]?.toLowerCase() === 'providers' ? segments : segments.slice(2);
  return own[0]?.toLowerCase() === 'providers' && own[2]?.toLowerCase() === 'events';
}

/**
 * Fetches the details of a health event (C), for the tenant or for the sandbox's subscription.
 * Who may read sensitive events is not shown; here a reader may not (gap: see docs/upstream.md).
 */
export function readEvent(call: Call, segments: readonly string[]): Answer {
  const caller = readCaller(call, codes);
  const isTenantWide = segments[0]?.toLowerCase() === 'providers';
  const [, , , trackingId = '', action = '', ...beyond] = isTenantWide ? segments : segments.slice(2);
  if (action.toLowerCase() !== 'fetcheventdetails' || beyond.length > 0) {
    throw new Refusal(404, 'InvalidResourceType', 'The resource type or operation could not be found.');
  }
  if (call.method !== 'POST') {
    const headers = { allow: 'POST' };
    throw new Refusal(405, 'MethodNotAllowed', `The method '${call.method}' is not supported.`, { headers });
  }
  expectVersion(call, apiVersion);
  const subscription = segments[1] ?? '';
  if (!isTenantWide && subscription.toLowerCase() !== place.subscription) {
    throw new Refusal(404, 'SubscriptionNotFound', `The subscription '${subscription}' could not be found.`);
  }

  const event = healthEvents.get(trackingId);
  if (!event) throw new Refusal(404, 'ResourceNotFound', `The event '${trackingId}' could not be found.`);
  if (event.properties.isEventSensitive && caller.isLimited) throw forbidden(codes);
  return json(200, event);
}
