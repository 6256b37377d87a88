import { codedSet } from '../coded-set.ts';
import type { EntitySet } from '../entity-set.ts';

export const paymentMethods: EntitySet = codedSet(
  'paymentMethods',
  'paymentMethod',
  [
    ['BANK', 'Bank transfer'],
    ['CARD', 'Card payment'],
    ['CASH', 'Cash payment'],
  ],
  { isSubscribable: true },
);
