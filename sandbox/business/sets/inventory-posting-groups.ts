import { codedSet } from '../coded-set.ts';
import type { EntitySet } from '../entity-set.ts';

export const inventoryPostingGroups: EntitySet = codedSet(
  'inventoryPostingGroups',
  'inventoryPostingGroup',
  [['RESALE', 'Goods for resale']],
  { hasAddress: false },
);
