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

type Key = (event: HealthEventRecord) => string | number | null;
type Term = { readonly key: Key; readonly sign: 1 | -1 };

const keys: Readonly<Record<string, Key>> = {
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
  // A field named twice decides nothing the second time.
  const terms = new Map<string, Term>();
  for (const { field, direction } of orderBy)
    if (!terms.has(field)) terms.set(field, { key: keys[field] as Key, sign: direction === 'DESC' ? -1 : 1 });
  const signs = [...terms.values()].map(({ sign }) => sign);
  const ranked = events.map((event) => ({
    event,
    ranks: [...terms.values()].map(({ key }) => key(event)),
  }));
  return ranked
    .sort((left, right) => {
      for (const [at, sign] of signs.entries()) {
        const difference = compare(left.ranks[at] ?? null, right.ranks[at] ?? null);
        if (difference !== 0) return difference * sign;
      }
      return 0;
    })
    .map(({ event }) => event);
}

function compare(left: string | number | null, right: string | number | null): number {
  if (left === right) return 0;
  if (left === null) return -1;
  if (right === null) return 1;
  return left < right ? -1 : 1;
}
