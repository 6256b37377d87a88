import type { RecordFrom } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';

/** Foreign currencies. The document reaches them by `$expand` alone; their fields are the real service's (docs/upstream.md). */
export const currencies = {
  type: 'Currency',
  names: { one: 'currency', many: 'currencies' },
  entitySet: 'currencies',
  route: 'v2.0',
  fields: {
    id: 'uuid',
    code: 'text',
    displayName: 'text',
    symbol: 'text',
    amountDecimalPlaces: 'text',
    amountRoundingPrecision: 'decimal',
    lastModifiedDateTime: 'dateTime',
  },
  list: { one: 'a currency', many: 'currencies' },
} as const satisfies RecordTypeDescriptor;

export type CurrencyRecord = RecordFrom<typeof currencies>;
