import type { HealthEvent, SeededEvent } from '../seed/health-events.ts';
import { oddHealthEvents, seedHealthEvents } from '../seed/health-events.ts';
import { type Impact, type ImpactedResource, seedImpact } from '../seed/impacted-resources.ts';
import type { AvailabilityOverrides } from './availability.ts';

/** Changes of an event. Fields left out keep their values. */
export interface EventChange {
  /** Merged into `properties`. A null is stored as null. */
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly location?: string;
}

/** The health events, in the order of the list. */
export interface EventStore {
  find(trackingId: string): HealthEvent | undefined;
  list(): readonly HealthEvent[];
  /** Changes or creates an event. `lastUpdateTime` becomes the current time unless the change sets it. */
  change(trackingId: string, change: EventChange): void;
  /** The resources that an event affects; empty lists for an event that has none. */
  impactOf(trackingId: string): Impact;
  setImpact(trackingId: string, impact: Partial<Impact>): void;
  /** Availability that was set by hand. */
  readonly availability: AvailabilityOverrides;
  /** Returns true when the event existed. */
  remove(trackingId: string): boolean;
}

/** The times of some events are relative to the start of the sandbox. */
export function createEventStore(startedAt: number): EventStore {
  const seeded = [...seedHealthEvents(startedAt), ...oddHealthEvents(startedAt)];
  const events = new Map(seeded.map(({ event }) => [event.name, event]));
  const impacts = seedImpact();
  const impactOf = (trackingId: string): Impact => impacts.get(trackingId) ?? noImpact;

  return {
    find: (trackingId) => events.get(trackingId),
    list: () => [...events.values()],
    change(trackingId, { properties = {}, ...rest }) {
      const before = events.get(trackingId) ?? emptyEvent(trackingId);
      const lastUpdateTime = nextUpdateTime(before.properties?.lastUpdateTime);
      events.set(trackingId, {
        ...before,
        ...rest,
        properties: { ...before.properties, lastUpdateTime, ...properties },
      });
    },
    impactOf,
    setImpact: (trackingId, impact) => void impacts.set(trackingId, { ...impactOf(trackingId), ...impact }),
    availability: new Map(),
    remove: (trackingId) => events.delete(trackingId),
  };
}

const none: readonly ImpactedResource[] = [];
const noImpact: Impact = { impactedResources: none, securityImpactedResources: none };

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
