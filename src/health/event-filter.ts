import type { FilterInput } from '../graph/filter-compiler.ts';
import { compileRowFilter, type FilterFields, filterColumns } from '../graph/rows/row-filter.ts';
import type { HealthEventRecord } from './event-record.ts';
import { seemsSensitive } from './withheld-fields.ts';

/** The fields that a list contains of every event, sensitive or not. */
export const eventFilterFields: FilterFields<HealthEventRecord> = {
  ...filterColumns({
    trackingId: 'text',
    title: 'text',
    eventType: 'choice',
    eventSource: 'choice',
    eventLevel: 'choice',
    level: 'choice',
    status: 'choice',
    isHIR: 'plain',
    platformInitiated: 'plain',
    priority: 'plain',
    lastUpdateTime: 'time',
    // What `eqRaw` and its like compare.
    eventTypeRaw: 'text',
    eventSourceRaw: 'text',
    eventLevelRaw: 'text',
    levelRaw: 'text',
    statusRaw: 'text',
  }),
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
