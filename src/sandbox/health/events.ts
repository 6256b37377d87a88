import type { HealthEvent, SeededEvent } from '../seed/health-event.ts';
import { seedHealthEvents } from '../seed/health-events.ts';
import { oddHealthEvents } from '../seed/odd-health-events.ts';

/** What is to become of an event; other fields stay as they are. */
export interface EventChange {
  /** Merged into `properties`; a null stays as a null. */
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly location?: string;
}

/** The health events of a sandbox, in the order they are listed. */
export interface Events {
  find(trackingId: string): HealthEvent | undefined;
  list(): readonly HealthEvent[];
  /** Changes an event, or makes one; its `lastUpdateTime` moves to now unless the change has one. */
  change(trackingId: string, change: EventChange): void;
  /** True when there was one. */
  remove(trackingId: string): boolean;
}

/** Some events are so old at the start of the sandbox, whenever it is. */
export function createEvents(startedAt: number): Events {
  const seeded = [...seedHealthEvents(startedAt), ...oddHealthEvents(startedAt)];
  const events = new Map(seeded.map(({ event }) => [event.name, event]));

  return {
    find: (trackingId) => events.get(trackingId),
    list: () => [...events.values()],
    change(trackingId, { properties = {}, ...rest }) {
      const before = events.get(trackingId) ?? emptyEvent(trackingId);
      const lastUpdateTime = timeAfter(before.properties?.lastUpdateTime);
      events.set(trackingId, {
        ...before,
        ...rest,
        properties: { ...before.properties, lastUpdateTime, ...properties },
      });
    },
    remove: (trackingId) => events.delete(trackingId),
  };
}

/** What each event plays, by tracking id, for the index of the sandbox. */
export const eventNotes = notesOf(seedHealthEvents(0));

/** The same for those that go beyond the document. */
export const oddEventNotes = notesOf(oddHealthEvents(0));

function notesOf(seeded: readonly SeededEvent[]): Readonly<Record<string, string>> {
  return Object.fromEntries(seeded.map(({ about, event }) => [event.name, about]));
}

function emptyEvent(name: string): HealthEvent {
  return { id: `/providers/Vendor.Health/events/${name}`, name, type: '/providers/Vendor.Health/events' };
}

/** Now, or the next millisecond when that would not be later. */
function timeAfter(time: unknown): string {
  const before = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return new Date(Math.max(Date.now(), Number.isNaN(before) ? 0 : before + 1)).toISOString();
}
