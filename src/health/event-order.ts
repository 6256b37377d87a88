import type { EventLevelValues, EventTypeValues } from '../generated/graphql.ts';
import type { HealthEventRecord } from './event-record.ts';
import { toSortableTime } from './sortable-time.ts';

export interface EventOrder {
  readonly field: string;
  readonly direction: 'ASC' | 'DESC';
}

// The source document ranks these three types; the others follow, in no particular order.
const typeRanks: Partial<Record<EventTypeValues, number>> = {
  SERVICE_ISSUE: 0,
  PLANNED_MAINTENANCE: 1,
  HEALTH_ADVISORY: 2,
};
const levelRanks: Partial<Record<EventLevelValues, number>> = {
  CRITICAL: 0,
  ERROR: 1,
  WARNING: 2,
  INFORMATIONAL: 3,
};
const [typeSpan, statusSpan] = [8, 4];
const lastRank = 3;
const unknownLevelRank = 4;

/**
 * The priority of an event: the upstream's, or for sorting alone one that is computed by the rules of the source document
 * (C, priority ordering). Which of these rules takes precedence is an assumption: see docs/upstream.md.
 */
export function rankEvent({ priority, eventType, status, eventLevel }: HealthEventRecord): number {
  if (priority !== null) return priority;
  const type = typeRanks[eventType ?? 'UNRECOGNIZED'] ?? lastRank;
  const level = levelRanks[eventLevel ?? 'UNRECOGNIZED'] ?? lastRank;
  return type * typeSpan + (status === 'ACTIVE' ? 0 : statusSpan) + level;
}

type SortKey = (event: HealthEventRecord) => string | number | null;
type SortTerm = { readonly key: SortKey; readonly sign: 1 | -1 };

const sortKeys: Readonly<Record<string, SortKey>> = {
  PRIORITY: rankEvent,
  LAST_UPDATE_TIME: ({ lastUpdateTime }) => lastUpdateTime && toSortableTime(lastUpdateTime),
  // An unknown level is lower than every known one, and higher than none.
  EVENT_LEVEL: ({ eventLevel }) => eventLevel && (levelRanks[eventLevel] ?? unknownLevelRank),
  TITLE: ({ title }) => title?.toLowerCase() || null,
  TRACKING_ID: ({ trackingId }) => trackingId.toLowerCase(),
};

/** Sorts events; equal ones keep the order of the upstream. In ascending order, what is not set comes first. */
export function sortEvents(
  events: readonly HealthEventRecord[],
  orderBy: readonly EventOrder[],
): readonly HealthEventRecord[] {
  if (orderBy.length === 0) return events;
  // The second occurrence of a field has no effect.
  const terms = new Map<string, SortTerm>();
  for (const { field, direction } of orderBy)
    if (!terms.has(field))
      terms.set(field, { key: sortKeys[field] as SortKey, sign: direction === 'DESC' ? -1 : 1 });
  const signs = [...terms.values()].map(({ sign }) => sign);
  const ranked = events.map((event) => ({
    event,
    ranks: [...terms.values()].map(({ key }) => key(event)),
  }));
  return ranked
    .sort((left, right) => {
      for (const [at, sign] of signs.entries()) {
        const difference = compareKeys(left.ranks[at] ?? null, right.ranks[at] ?? null);
        if (difference !== 0) return difference * sign;
      }
      return 0;
    })
    .map(({ event }) => event);
}

function compareKeys(left: string | number | null, right: string | number | null): number {
  if (left === right) return 0;
  if (left === null) return -1;
  if (right === null) return 1;
  return left < right ? -1 : 1;
}
