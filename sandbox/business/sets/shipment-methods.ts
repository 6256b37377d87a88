import { codedSet } from '../coded-set.ts';
import type { EntitySet } from '../entity-set.ts';

export const shipmentMethods: EntitySet = codedSet(
  'shipmentMethods',
  'shipmentMethod',
  [
    ['EXW', 'Ex works'],
    ['DAP', 'Delivered at place'],
    ['PICKUP', 'Collected by the customer'],
  ],
  { isSubscribable: true },
);
