import { isJsonObject, readJsonObject } from '../business/field-values.ts';
import type { ControlAddresses } from '../control.ts';
import { empty } from '../http.ts';
import { badRequest } from '../refusal.ts';
import type { Events } from './events.ts';

const form =
  '{"trackingId": "SI_1-QRT", "properties": {"status": "Resolved"}} or {"trackingId": "SI_1-QRT", "remove": true}';

/** The addresses below `/sandbox` that are about health events. */
export function eventControls(events: Events): ControlAddresses {
  return {
    'POST /sandbox/events': {
      about: `${form}: changes an event, makes it where there is none, or removes it; lastUpdateTime moves to now unless it is given; also location`,
      answer(call) {
        setEvent(readJsonObject(call.body), events);
        return empty(204);
      },
    },
  };
}

function setEvent(body: Record<string, unknown>, events: Events): void {
  const { trackingId, properties, location, remove, ...rest } = body;
  const isWellFormed =
    typeof trackingId === 'string' &&
    trackingId !== '' &&
    (properties === undefined || isJsonObject(properties)) &&
    (location === undefined || typeof location === 'string') &&
    (remove === undefined || typeof remove === 'boolean') &&
    Object.keys(rest).length === 0;
  if (!isWellFormed) throw badRequest(`The body must be ${form}.`);
  if (!remove) {
    events.change(trackingId, {
      ...(properties === undefined ? {} : { properties }),
      ...(location === undefined ? {} : { location }),
    });
  } else if (!events.remove(trackingId)) {
    throw badRequest(`There is no event '${trackingId}' to remove.`);
  }
}
