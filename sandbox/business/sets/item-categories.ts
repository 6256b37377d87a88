import { goods } from '../../seed/words.ts';
import { codedSet } from '../coded-set.ts';
import type { EntitySet } from '../entity-set.ts';

export const itemCategories: EntitySet = codedSet(
  'itemCategories',
  'itemCategory',
  goods.map(([code, displayName]) => [code, displayName]),
  { isSubscribable: true },
);
