import { codedSet } from '../coded-set.ts';
import type { EntitySet } from '../entity-set.ts';
import { fieldsOf } from '../entity-set.ts';

export const paymentTerms: EntitySet = codedSet(
  'paymentTerms',
  'paymentTerm',
  [
    ['COD', 'Cash on delivery', { dueDateCalculation: '0D' }],
    ['14D', 'Net 14 days', { dueDateCalculation: '14D' }],
    ['30D', 'Net 30 days', { dueDateCalculation: '30D', calculateDiscountOnCreditMemos: true }],
    [
      '2/10',
      '2 % in 10 days, net 30',
      { dueDateCalculation: '30D', discountDateCalculation: '10D', discountPercent: 2 },
    ],
    ['CM', 'Current month', { dueDateCalculation: 'CM' }],
  ],
  {
    fields: fieldsOf(`
        dueDateCalculation text 32, discountDateCalculation text 32, discountPercent decimal,
        calculateDiscountOnCreditMemos boolean
      `),
    isSubscribable: true,
  },
);
