import type { HealthEvent } from '../seed/health-events.ts';

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
export function isSensitive({ properties }: HealthEvent): boolean {
  const { isEventSensitive = properties?.eventType === 'SecurityAdvisory' } = properties ?? {};
  return isEventSensitive === true;
}

/**
 * The plain form of an event. The document withholds description, summary and region updates of sensitive
 * events. The real service withholds everything except the fields listed here.
 */
export function toPlainEvent(event: HealthEvent): HealthEvent {
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
