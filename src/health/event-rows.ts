import type { EventLevelValues, EventTypeValues } from '../generated/graphql.ts';
import type { FilterInput } from '../graph/filter-compiler.ts';
import { compileRowFilter, type FilterFields, filterColumns } from '../graph/rows/row-filter.ts';
import type { RowKind } from '../graph/rows/row-lists.ts';
import { type SortKeys, toSortableTime } from '../graph/rows/row-order.ts';
import type { HealthEventRecord } from './event-record.ts';
import { seemsSensitive } from './withheld-fields.ts';

/** The filterable fields, which lists contain for every event, sensitive or not. */
const eventFilterFields: FilterFields<HealthEventRecord> = {
  ...filterColumns({
    trackingId: 'text',
    title: 'text',
    isHIR: 'plain',
    platformInitiated: 'plain',
    priority: 'plain',
    lastUpdateTime: 'time',
  }),
  // Enums are filtered by their raw values, which may be unknown to the graph.
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

// The source document ranks these three types; all others rank after them.
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
 * Returns the upstream's priority of an event. Without one, computes a priority for sorting by the rules of the source
 * document (C, priority ordering). The precedence of these rules is an assumption (docs/upstream.md).
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
  // An unknown level ranks below every known one, and above a missing one.
  EVENT_LEVEL: ({ eventLevel }) => eventLevel && (levelRanks[eventLevel] ?? unknownLevelRank),
  TITLE: ({ title }) => title?.toLowerCase() || null,
  TRACKING_ID: ({ trackingId }) => trackingId.toLowerCase(),
};

/** The filter fields, sort keys and names of events in lists. */
export const eventRows: RowKind<HealthEventRecord> = {
  filterFields: eventFilterFields,
  sortKeys: eventSortKeys,
  nameOf: ({ trackingId }) => trackingId,
};
