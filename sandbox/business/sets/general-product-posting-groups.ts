import { codedSet } from '../coded-set.ts';
import type { EntitySet } from '../entity-set.ts';

export const generalProductPostingGroups: EntitySet = codedSet(
  'generalProductPostingGroups',
  'generalProductPostingGroup',
  [
    ['RETAIL', 'Goods for resale'],
    ['SERVICES', 'Services'],
  ],
  { hasAddress: false },
);
