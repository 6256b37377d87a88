import { codedSet } from '../coded-set.ts';
import type { EntitySet } from '../entity-set.ts';
import { fieldsOf } from '../entity-set.ts';

/** A company's local currency has no record. */
export const currencies: EntitySet = codedSet(
  'currencies',
  'currency',
  [
    ['EUR', 'Euro', { symbol: '€', amountDecimalPlaces: '2:2', amountRoundingPrecision: 0.01 }],
    ['GBP', 'Pound sterling', { symbol: '£', amountDecimalPlaces: '2:2', amountRoundingPrecision: 0.01 }],
    ['USD', 'US dollar', { symbol: '$', amountDecimalPlaces: '2:2', amountRoundingPrecision: 0.01 }],
    ['DKK', 'Danish krone', { symbol: 'kr', amountDecimalPlaces: '2:2', amountRoundingPrecision: 0.01 }],
  ],
  {
    fields: fieldsOf('symbol text 10, amountDecimalPlaces text 5, amountRoundingPrecision decimal'),
    isSubscribable: true,
    isPresent: ({ code }, company) => code !== company.localCurrency,
  },
);
