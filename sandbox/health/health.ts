import { ApiError } from '../api-error.ts';
import { forbiddenError, readCaller } from '../bearer.ts';
import type { ApiRequest, ApiResponse } from '../http.ts';
import { jsonResponse } from '../http.ts';
import { sandboxLocation } from '../instances/instance-address.ts';
import { cutPage } from '../instances/pages.ts';
import { checkApiVersion, checkMethod, managementTokenErrors } from '../management-requests.ts';
import { type ImpactedResource, toImpactedEntry } from '../seed/impacted-resources.ts';
import { listEvents } from './event-list.ts';
import type { EventStore } from './events.ts';
import { isSensitive, toPlainEvent } from './plain.ts';

const healthApiVersion = '2025-05-01';

/** True for the paths of area C. */
export function isEventPath(segments: readonly string[]): boolean {
  const own = pathFromProviders(segments);
  return own[0]?.toLowerCase() === 'providers' && own[2]?.toLowerCase() === 'events';
}

/**
 * True where errors have the flat form of the document: everywhere except a 403 of the list, as on the real
 * service.
 */
export function usesFlatErrors(segments: readonly string[], status: number): boolean {
  return isEventPath(segments) && !(status === 403 && pathFromProviders(segments).length === 3);
}

/**
 * Handles a request of area C, for the tenant or for the sandbox's subscription: the list, a plain event, or
 * the details of an event. The document does not say who may fetch the details of a sensitive event. In the
 * sandbox a reader may not (gap: see docs/upstream.md). Billing events have a second operation for their
 * details, as on the real service. So are the resources that an event affects, and those of a security advisory,
 * which take the right to its details.
 */
export function handleHealthRequest(
  request: ApiRequest,
  segments: readonly string[],
  events: EventStore,
): ApiResponse {
  const caller = readCaller(request, managementTokenErrors);
  const [, , , trackingId, action, ...beyond] = pathFromProviders(segments);
  const isBilling = action?.toLowerCase() === 'fetchbillingcommunicationdetails' && !isTenantWide(segments);
  const isFetch = isBilling || action?.toLowerCase() === 'fetcheventdetails';
  const isImpact = action?.toLowerCase() === 'impactedresources';
  const isSecurity = action?.toLowerCase() === 'listsecurityadvisoryimpactedresources';
  const isKnown = action === undefined || isFetch || isImpact || isSecurity;
  if (!isKnown || beyond.length > 0) {
    throw new ApiError(404, 'InvalidResourceType', 'The resource type or operation could not be found.');
  }
  checkMethod(request, isFetch || isSecurity ? 'POST' : 'GET');
  checkApiVersion(request, healthApiVersion);
  checkSubscription(segments);

  if (trackingId === undefined) return listEvents(request, events);
  const event = events.find(trackingId);
  if (!event || (isBilling && event.properties?.eventType !== 'Billing'))
    throw new ApiError(404, 'ResourceNotFound', `The event '${trackingId}' could not be found.`);
  if (isSecurity && caller.cannotReadSensitive) throw forbiddenError(managementTokenErrors);
  const impact = events.impactOf(event.name);
  if (isSecurity) return listImpact(request, event.id, impact.securityImpactedResources);
  if (isImpact) return listImpact(request, event.id, impact.impactedResources);
  if (!isFetch) return jsonResponse(200, toPlainEvent(event));
  if (isSensitive(event) && caller.cannotReadSensitive) throw forbiddenError(managementTokenErrors);
  return jsonResponse(200, event);
}

const resourcesPerPage = 5;

function listImpact(
  request: ApiRequest,
  eventId: string,
  resources: readonly ImpactedResource[],
): ApiResponse {
  const { value, ...next } = cutPage(request, resources, resourcesPerPage);
  return jsonResponse(200, { value: value.map((one) => toImpactedEntry(eventId, one)), ...next });
}

function checkSubscription(segments: readonly string[]): void {
  const subscription = isTenantWide(segments) ? undefined : segments[1];
  if (subscription === undefined || subscription.toLowerCase() === sandboxLocation.subscription) return;
  throw new ApiError(404, 'SubscriptionNotFound', `The subscription '${subscription}' could not be found.`);
}

function isTenantWide(segments: readonly string[]): boolean {
  return segments[0]?.toLowerCase() === 'providers';
}

function pathFromProviders(segments: readonly string[]): readonly string[] {
  return isTenantWide(segments) ? segments : segments.slice(2);
}
