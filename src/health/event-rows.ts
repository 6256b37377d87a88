import type { EventLevelValues, EventTypeValues } from '../generated/graphql.ts';
import type { FilterInput } from '../graph/filter-compiler.ts';
import { compileRowFilter, type FilterFields, filterColumns } from '../graph/rows/row-filter.ts';
import type { RowKind } from '../graph/rows/row-lists.ts';
import { type SortKeys, toSortableTime } from '../graph/rows/row-order.ts';
import type { HealthEventRecord } from './event-record.ts';
import { seemsSensitive } from './withheld-fields.ts';

/** The fields that a list contains of every event, sensitive or not. */
const eventFilterFields: FilterFields<HealthEventRecord> = {
  ...filterColumns({
    trackingId: 'text',
    title: 'text',
    isHIR: 'plain',
    platformInitiated: 'plain',
    priority: 'plain',
    lastUpdateTime: 'time',
  }),
  // Enums are found by their words, which include those that the graph does not know.
  eventType: { kind: 'text', valuesOf: ({ eventTypeRaw }) => [eventTypeRaw] },
  eventSource: { kind: 'text', valuesOf: ({ eventSourceRaw }) => [eventSourceRaw] },
  eventLevel: { kind: 'text', valuesOf: ({ eventLevelRaw }) => [eventLevelRaw] },
  level: { kind: 'text', valuesOf: ({ levelRaw }) => [levelRaw] },
  status: { kind: 'text', valuesOf: ({ statusRaw }) => [statusRaw] },
  isEventSensitive: { kind: 'plain', valuesOf: (event) => [seemsSensitive(event)] },
  impactedService: {
    kind: 'text',
    valuesOf: ({ impact }) => impact?.map(({ impactedService }) => impactedService) ?? [],
  },
  impactedRegion: {
    kind: 'text',
    valuesOf: ({ impact }) =>
      (impact ?? [])
        .flatMap(({ impactedRegions }) => impactedRegions ?? [])
        .map(({ impactedRegion }) => impactedRegion),
  },
};

/** Compiles a filter of health events. Throws `InputError` for a filter that cannot be evaluated. */
export const compileEventFilter = (filter: FilterInput | null | undefined) =>
  compileRowFilter(eventFilterFields, filter);

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

const eventSortKeys: SortKeys<HealthEventRecord> = {
  PRIORITY: rankEvent,
  LAST_UPDATE_TIME: ({ lastUpdateTime }) => lastUpdateTime && toSortableTime(lastUpdateTime),
  // An unknown level is lower than every known one, and higher than none.
  EVENT_LEVEL: ({ eventLevel }) => eventLevel && (levelRanks[eventLevel] ?? unknownLevelRank),
  TITLE: ({ title }) => title?.toLowerCase() || null,
  TRACKING_ID: ({ trackingId }) => trackingId.toLowerCase(),
};

/** Events as rows of a list. */
export const eventRows: RowKind<HealthEventRecord> = {
  filterFields: eventFilterFields,
  sortKeys: eventSortKeys,
  nameOf: ({ trackingId }) => trackingId,
};
