import { badRequestError } from '../api-error.ts';
import type { ControlRoutes } from '../http.ts';
import { emptyResponse } from '../http.ts';
import { isJsonObject, readJsonObject } from '../json-checks.ts';
import type { ImpactedResource } from '../seed/impacted-resources.ts';
import type { EventStore } from './events.ts';

const bodyForm =
  '{"trackingId": "SI_1-QRT", "properties": {"status": "Resolved"}} or {"trackingId": "SI_1-QRT", "remove": true}';
const availabilityForm =
  '{"resourceId": "/subscriptions/…", "properties": {"availabilityState": "Degraded"}}';

/** Control routes for health events. */
export function eventRoutes(events: EventStore): ControlRoutes {
  return {
    'POST /sandbox/events': {
      description: `${bodyForm}: changes, creates or removes an event. lastUpdateTime becomes the current time unless given. Also location, and impactedResources and securityImpactedResources: lists of properties such as {"targetResourceId": "/subscriptions/…"}.`,
      handle(request) {
        applyEventChange(readJsonObject(request.body), events);
        return emptyResponse(204);
      },
    },
    'POST /sandbox/availability': {
      description: `${availabilityForm}: what is said of a resource that is watched; without properties, what follows from its status again.`,
      handle(request) {
        applyAvailability(readJsonObject(request.body), events);
        return emptyResponse(204);
      },
    },
  };
}

function applyAvailability(body: Record<string, unknown>, { availability }: EventStore): void {
  const { resourceId, properties, ...rest } = body;
  const isWellFormed =
    typeof resourceId === 'string' &&
    (properties === undefined || isJsonObject(properties)) &&
    Object.keys(rest).length === 0;
  if (!isWellFormed) throw badRequestError(`The body must be ${availabilityForm}.`);
  if (properties === undefined) availability.delete(resourceId.toLowerCase());
  else availability.set(resourceId.toLowerCase(), properties);
}

const isResourceList = (value: unknown): value is readonly ImpactedResource[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every(isJsonObject));

function applyEventChange(body: Record<string, unknown>, events: EventStore): void {
  const { trackingId, properties, location, remove, ...more } = body;
  const { impactedResources, securityImpactedResources, ...rest } = more;
  const isWellFormed =
    typeof trackingId === 'string' &&
    trackingId !== '' &&
    (properties === undefined || isJsonObject(properties)) &&
    (location === undefined || typeof location === 'string') &&
    (remove === undefined || typeof remove === 'boolean') &&
    isResourceList(impactedResources) &&
    isResourceList(securityImpactedResources) &&
    Object.keys(rest).length === 0;
  if (!isWellFormed) throw badRequestError(`The body must be ${bodyForm}.`);
  if (!remove) {
    events.change(trackingId, {
      ...(properties === undefined ? {} : { properties }),
      ...(location === undefined ? {} : { location }),
    });
    events.setImpact(trackingId, {
      ...(impactedResources === undefined ? {} : { impactedResources }),
      ...(securityImpactedResources === undefined ? {} : { securityImpactedResources }),
    });
  } else if (!events.remove(trackingId)) {
    throw badRequestError(`The event '${trackingId}' does not exist.`);
  }
}
