import type { EventLevelValues, EventTypeValues } from '../generated/graphql.ts';
import type { HealthEventRecord } from './event-record.ts';
import { timeKey } from './time-key.ts';

export interface EventOrder {
  readonly field: string;
  readonly direction: 'ASC' | 'DESC';
}

// The document's rules rank these three kinds; the others come behind them, in no order of their own.
const types: Partial<Record<EventTypeValues, number>> = {
  SERVICE_ISSUE: 0,
  PLANNED_MAINTENANCE: 1,
  HEALTH_ADVISORY: 2,
};
const levels: Partial<Record<EventLevelValues, number>> = {
  CRITICAL: 0,
  ERROR: 1,
  WARNING: 2,
  INFORMATIONAL: 3,
};
const [typeSpan, statusSpan] = [8, 4];
const last = 3;
const unknownLevel = 4;

/**
 * Where an event without a `priority` of the upstream's stands among those that have one, for sorting alone
 * (document, C, priority ordering). Which of the rules goes first is not shown: see docs/upstream.md.
 */
export function rankOf({ priority, eventType, status, eventLevel }: HealthEventRecord): number {
  if (priority !== null) return priority;
  const type = types[eventType ?? 'UNRECOGNIZED'] ?? last;
  const level = levels[eventLevel ?? 'UNRECOGNIZED'] ?? last;
  return type * typeSpan + (status === 'ACTIVE' ? 0 : statusSpan) + level;
}

const keys: Readonly<Record<string, (event: HealthEventRecord) => string | number | null>> = {
  PRIORITY: rankOf,
  LAST_UPDATE_TIME: ({ lastUpdateTime }) => lastUpdateTime && timeKey(lastUpdateTime),
  // A word nobody knows is less than all that are known, and more than none.
  EVENT_LEVEL: ({ eventLevel }) => eventLevel && (levels[eventLevel] ?? unknownLevel),
  TITLE: ({ title }) => title?.toLowerCase() || null,
  TRACKING_ID: ({ trackingId }) => trackingId.toLowerCase(),
};

/** Events in the order asked; equal ones keep the upstream's. What is not set comes first, ascending. */
export function sorted(
  events: readonly HealthEventRecord[],
  orderBy: readonly EventOrder[],
): readonly HealthEventRecord[] {
  if (orderBy.length === 0) return events;
  const terms = orderBy.map(({ field, direction }) => ({
    key: keys[field] as (event: HealthEventRecord) => string | number | null,
    sign: direction === 'DESC' ? -1 : 1,
  }));
  return events.toSorted((left, right) => {
    for (const { key, sign } of terms) {
      const difference = compare(key(left), key(right));
      if (difference !== 0) return difference * sign;
    }
    return 0;
  });
}

function compare(left: string | number | null, right: string | number | null): number {
  if (left === right) return 0;
  if (left === null) return -1;
  if (right === null) return 1;
  return left < right ? -1 : 1;
}
