import type { RecordFrom } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';

/** What quantities count in. The document reaches them by `$expand` alone; their fields are the real service's (docs/upstream.md). */
export const unitsOfMeasure = {
  type: 'UnitOfMeasure',
  names: { one: 'unitOfMeasure', many: 'unitsOfMeasure' },
  entitySet: 'unitsOfMeasure',
  route: 'v2.0',
  fields: {
    id: 'uuid',
    code: 'text',
    displayName: 'text',
    internationalStandardCode: 'text',
    symbol: 'text',
    lastModifiedDateTime: 'dateTime',
  },
  list: { one: 'a unit of measure', many: 'units of measure' },
} as const satisfies RecordTypeDescriptor;

export type UnitOfMeasureRecord = RecordFrom<typeof unitsOfMeasure>;
