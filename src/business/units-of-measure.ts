import type { RecordOf, RecordSet } from './records.ts';
import { recordResolvers } from './resolvers.ts';

/** What quantities count in. The document reaches them by `$expand` alone; their fields are the real service's (docs/upstream.md). */
export const unitsOfMeasure = {
  type: 'UnitOfMeasure',
  entitySet: 'unitsOfMeasure',
  apiVersion: 'v2.0',
  fields: {
    id: 'uuid',
    code: 'text',
    displayName: 'text',
    internationalStandardCode: 'text',
    symbol: 'text',
    lastModifiedDateTime: 'dateTime',
  },
} as const satisfies RecordSet;

export type UnitOfMeasureRecord = RecordOf<(typeof unitsOfMeasure)['fields']>;

export const unitOfMeasureResolvers = recordResolvers(unitsOfMeasure, 'unitOfMeasure', 'unitsOfMeasure');
