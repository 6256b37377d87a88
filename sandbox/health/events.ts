import { badRequestError } from '../api-error.ts';
import {
  type CheckedFields,
  type ControlRoutes,
  commandRoute,
  isBoolean,
  isJsonObject,
  isListOf,
  isText,
} from '../json-checks.ts';
import type { AvailabilityOverrides } from './availability.ts';
import { type HealthEvent, oddHealthEvents, type SeededEvent, seedHealthEvents } from './seeded-events.ts';
import { type Impact, seedImpact } from './seeded-impacted-resources.ts';

/** Events of the document that show odd cases: next to nothing set, a new kind, HTML in every text. */
const notInDemos: ReadonlySet<string> = new Set(['MN_0-BAR', 'FK_4-NEW', 'SI_3-HTM']);

/** The health events, in the order of the list. */
export type EventStore = ReturnType<typeof createEventStore>;

/** The times of some events are relative to the start of the sandbox. */
export function createEventStore(startedAt: number, isDemo: boolean) {
  const seeded = isDemo
    ? seedHealthEvents(startedAt).filter(({ event }) => !notInDemos.has(event.name))
    : [...seedHealthEvents(startedAt), ...oddHealthEvents(startedAt)];
  const events = new Map(seeded.map(({ event }) => [event.name, event]));
  const impacts = seedImpact();
  const impactOf = (trackingId: string): Impact => ({ ...noImpact, ...impacts.get(trackingId) });

  return {
    find: (trackingId: string): HealthEvent | undefined => events.get(trackingId),
    list: (): readonly HealthEvent[] => [...events.values()],
    /** Changes or creates an event; fields left out keep their values. `lastUpdateTime` becomes the current time unless the change sets it. */
    change(
      trackingId: string,
      { properties = {}, ...rest }: Pick<HealthEvent, 'properties' | 'location'>,
    ): void {
      const before = events.get(trackingId) ?? emptyEvent(trackingId);
      const lastUpdateTime = nextUpdateTime(before.properties?.lastUpdateTime);
      events.set(trackingId, {
        ...before,
        ...rest,
        properties: { ...before.properties, lastUpdateTime, ...properties },
      });
    },
    /** The resources that an event affects; empty lists for an event that has none. */
    impactOf,
    setImpact: (trackingId: string, impact: Partial<Impact>): void =>
      void impacts.set(trackingId, { ...impactOf(trackingId), ...impact }),
    /** Availability that was set by hand. */
    availability: new Map() as AvailabilityOverrides,
    /** Returns true when the event existed. */
    remove: (trackingId: string): boolean => events.delete(trackingId),
  };
}

const noImpact: Impact = { impactedResources: [], securityImpactedResources: [] };

/** What each event of the document is for, by tracking id. */
export const eventDescriptions = descriptionsByName(seedHealthEvents(0));

/** The same for events beyond the document. */
export const oddEventDescriptions = descriptionsByName(oddHealthEvents(0));

function descriptionsByName(seeded: readonly SeededEvent[]): Readonly<Record<string, string>> {
  return Object.fromEntries(seeded.map(({ description: about, event }) => [event.name, about]));
}

function emptyEvent(name: string): HealthEvent {
  return { id: `/providers/Vendor.Health/events/${name}`, name, type: '/providers/Vendor.Health/events' };
}

/** The current time, but later than the previous time. */
function nextUpdateTime(time: unknown): string {
  const before = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return new Date(Math.max(Date.now(), Number.isNaN(before) ? 0 : before + 1)).toISOString();
}

const bodyForm =
  '{"trackingId": "SI_1-QRT", "properties": {"status": "Resolved"}} or {"trackingId": "SI_1-QRT", "remove": true}';
const availabilityForm =
  '{"resourceId": "/subscriptions/…", "properties": {"availabilityState": "Degraded"}}';

const eventChecks = {
  trackingId: isText,
  properties: isJsonObject,
  location: isText,
  remove: isBoolean,
  impactedResources: isListOf(isJsonObject),
  securityImpactedResources: isListOf(isJsonObject),
};

/** Control routes for health events. */
export function eventRoutes(events: EventStore): ControlRoutes {
  return {
    'POST /sandbox/events': commandRoute(
      'an event',
      `${bodyForm}: changes, creates or removes an event. lastUpdateTime becomes the current time unless given. Also location, and impactedResources and securityImpactedResources: lists of properties such as {"targetResourceId": "/subscriptions/…"}.`,
      eventChecks,
      (fields) => applyEventChange(fields, events),
    ),
    'POST /sandbox/availability': commandRoute(
      'availability',
      `${availabilityForm}: what is said of a resource that is watched; without properties, what follows from its status again.`,
      { resourceId: isText, properties: isJsonObject },
      ({ resourceId, properties }) => {
        if (resourceId === undefined) throw badRequestError(`The body must be ${availabilityForm}.`);
        if (properties === undefined) events.availability.delete(resourceId.toLowerCase());
        else events.availability.set(resourceId.toLowerCase(), properties);
      },
    ),
  };
}

function applyEventChange(fields: CheckedFields<typeof eventChecks>, events: EventStore): void {
  const { trackingId, remove, impactedResources, securityImpactedResources, ...change } = fields;
  if (!trackingId) throw badRequestError(`The body must be ${bodyForm}.`);
  if (!remove) {
    events.change(trackingId, change);
    events.setImpact(trackingId, {
      ...(impactedResources && { impactedResources }),
      ...(securityImpactedResources && { securityImpactedResources }),
    });
  } else if (!events.remove(trackingId)) {
    throw badRequestError(`The event '${trackingId}' does not exist.`);
  }
}
