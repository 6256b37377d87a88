import type { HealthEvent } from '../seed/health-event.ts';

/** What the plain record of a sensitive event shows; the flag itself, so that a caller knows to fetch. */
const shown = [
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

const shownOfRegion = ['impactedRegion', 'impactedSubscriptions', 'impactedTenants', 'status'];

/** True for an event of which plain reads withhold the most. */
export function isSensitive(event: HealthEvent): boolean {
  return event.properties?.isEventSensitive === true;
}

/**
 * An event as a plain read shows it. Of a sensitive one the document withholds description, summary and
 * region updates, the real service everything but what is listed here.
 */
export function plainOf(event: HealthEvent): HealthEvent {
  if (!isSensitive(event)) return event;
  const { impact } = event.properties ?? {};
  const properties = {
    ...picked(event.properties, shown),
    ...(Array.isArray(impact) ? { impact: impact.map(plainImpact) } : {}),
  };
  return { ...event, properties };
}

function plainImpact(impact: unknown): Record<string, unknown> {
  const { impactedRegions } = picked(impact, ['impactedRegions']);
  return {
    ...picked(impact, ['impactedService']),
    ...(Array.isArray(impactedRegions)
      ? { impactedRegions: impactedRegions.map((region) => picked(region, shownOfRegion)) }
      : {}),
  };
}

function picked(value: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}
