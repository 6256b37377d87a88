import { ApiError } from '../api-error.ts';
import { forbiddenError, readCaller } from '../bearer.ts';
import { type ApiRequest, type ApiResponse, jsonResponse, parseQuery } from '../http.ts';
import { hasWorkloads } from '../instances/instance-address.ts';
import { respondWithPage } from '../instances/parameters.ts';
import { checkApiVersion, checkMethod, managementTokenErrors } from '../management-requests.ts';
import type { EventStore } from './events.ts';
import type { HealthEvent } from './seeded-events.ts';
import { type ImpactedResource, toImpactedEntry } from './seeded-impacted-resources.ts';

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
  const isWithEvents = hasEvents(segments);

  if (trackingId === undefined) return listEvents(request, isWithEvents ? events.list() : []);
  const event = isWithEvents ? events.find(trackingId) : undefined;
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

const listImpact = (request: ApiRequest, eventId: string, resources: readonly ImpactedResource[]) =>
  respondWithPage(request, resources, resourcesPerPage, (one) => toImpactedEntry(eventId, one));

/** Whether the tenant or the subscription of a path has events. Throws an `ApiError` (404) for an unknown subscription. */
function hasEvents(segments: readonly string[]): boolean {
  const subscription = isTenantWide(segments) ? undefined : segments[1];
  const has = subscription === undefined || hasWorkloads(subscription);
  if (has !== undefined) return has;
  throw new ApiError(404, 'SubscriptionNotFound', `The subscription '${subscription}' could not be found.`);
}

function isTenantWide(segments: readonly string[]): boolean {
  return segments[0]?.toLowerCase() === 'providers';
}

function pathFromProviders(segments: readonly string[]): readonly string[] {
  return isTenantWide(segments) ? segments : segments.slice(2);
}

const eventsPerPage = 5;

const defaultDays = 3;
const dayMs = 86_400_000;

/**
 * Lists the plain form of events that were updated in the last three days, or since `queryStartTime`. Events
 * without an update time are always included. The real service lists up to a year, the sandbox all its events,
 * and takes no `$filter`.
 */
function listEvents(request: ApiRequest, events: readonly HealthEvent[]): ApiResponse {
  const start = parseQuery(request.query).get('queryStartTime');
  const since = readStartDate(start) ?? Date.now() - defaultDays * dayMs;
  const found = events.filter((event) => !isUpdatedBefore(event, since));
  return respondWithPage(request, found, eventsPerPage, toPlainEvent);
}

function isUpdatedBefore({ properties }: HealthEvent, since: number): boolean {
  const time = properties?.lastUpdateTime;
  return typeof time === 'string' && Date.parse(time) < since;
}

/** Parses the start of a day in the form month/day/year. */
function readStartDate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text)?.map(Number) ?? [];
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  if (month !== undefined && date.getUTCMonth() + 1 === month && date.getUTCDate() === day) {
    return date.getTime();
  }
  throw new ApiError(400, 'InvalidParameter', 'The queryStartTime must be a date like 7/24/2020.', {
    target: 'queryStartTime',
  });
}

/**
 * Fields of the plain form of a sensitive event. The flag is included, so that callers know to fetch the
 * details.
 */
const plainFields = [
  'eventType',
  'eventSource',
  'status',
  'title',
  'platformInitiated',
  'level',
  'eventLevel',
  'isEventSensitive',
  'isHIR',
  'priority',
  'subscriptionId',
  'lastUpdateTime',
];

const plainRegionFields = ['impactedRegion', 'impactedSubscriptions', 'impactedTenants', 'status'];

/** True for an event with the flag, or a security advisory without it. Plain reads withhold most of its fields. */
function isSensitive({ properties }: HealthEvent): boolean {
  const { isEventSensitive = properties?.eventType === 'SecurityAdvisory' } = properties ?? {};
  return isEventSensitive === true;
}

/**
 * The plain form of an event. The document withholds description, summary and region updates of sensitive
 * events. The real service withholds everything except the fields listed here.
 */
function toPlainEvent(event: HealthEvent): HealthEvent {
  if (!isSensitive(event)) return event;
  const { impact } = event.properties ?? {};
  const properties = {
    ...pickFields(event.properties, plainFields),
    ...(Array.isArray(impact) ? { impact: impact.map(toPlainImpact) } : {}),
  };
  return { ...event, properties };
}

function toPlainImpact(impact: unknown): Record<string, unknown> {
  const { impactedRegions } = pickFields(impact, ['impactedRegions']);
  return {
    ...pickFields(impact, ['impactedService']),
    ...(Array.isArray(impactedRegions)
      ? { impactedRegions: impactedRegions.map((region) => pickFields(region, plainRegionFields)) }
      : {}),
  };
}

function pickFields(value: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}
