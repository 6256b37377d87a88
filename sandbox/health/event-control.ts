import { badRequestError } from '../api-error.ts';
import type { ControlRoutes } from '../control-routes.ts';
import { emptyResponse } from '../http.ts';
import { readJsonObject } from '../json-body.ts';
import { isJsonObject } from '../json-checks.ts';
import type { EventStore } from './events.ts';

const bodyForm =
  '{"trackingId": "SI_1-QRT", "properties": {"status": "Resolved"}} or {"trackingId": "SI_1-QRT", "remove": true}';

/** Control routes for health events. */
export function eventRoutes(events: EventStore): ControlRoutes {
  return {
    'POST /sandbox/events': {
      description: `${bodyForm}: changes, creates or removes an event. lastUpdateTime becomes the current time unless given. Also location.`,
      handle(request) {
        applyEventChange(readJsonObject(request.body), events);
        return emptyResponse(204);
      },
    },
  };
}

function applyEventChange(body: Record<string, unknown>, events: EventStore): void {
  const { trackingId, properties, location, remove, ...rest } = body;
  const isWellFormed =
    typeof trackingId === 'string' &&
    trackingId !== '' &&
    (properties === undefined || isJsonObject(properties)) &&
    (location === undefined || typeof location === 'string') &&
    (remove === undefined || typeof remove === 'boolean') &&
    Object.keys(rest).length === 0;
  if (!isWellFormed) throw badRequestError(`The body must be ${bodyForm}.`);
  if (!remove) {
    events.change(trackingId, {
      ...(properties === undefined ? {} : { properties }),
      ...(location === undefined ? {} : { location }),
    });
  } else if (!events.remove(trackingId)) {
    throw badRequestError(`The event '${trackingId}' does not exist.`);
  }
}
