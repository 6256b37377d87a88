import type { RecordOf, RecordSet } from './records.ts';
import { recordResolvers } from './resolvers.ts';

/** Foreign currencies. The document reaches them by `$expand` alone; their fields are the real service's (docs/upstream.md). */
export const currencies = {
  type: 'Currency',
  entitySet: 'currencies',
  apiVersion: 'v2.0',
  fields: {
    id: 'uuid',
    code: 'text',
    displayName: 'text',
    symbol: 'text',
    amountDecimalPlaces: 'text',
    amountRoundingPrecision: 'decimal',
    lastModifiedDateTime: 'dateTime',
  },
} as const satisfies RecordSet;

export type CurrencyRecord = RecordOf<(typeof currencies)['fields']>;

export const currencyResolvers = recordResolvers(currencies, 'currency', 'currencies');
