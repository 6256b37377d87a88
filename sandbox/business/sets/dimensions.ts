import { codedSet } from '../coded-set.ts';
import type { EntitySet } from '../entity-set.ts';
import { fieldsOf } from '../entity-set.ts';

/** The first two are those of `shortcutDimension1Code` and `shortcutDimension2Code`. */
export const dimensions: EntitySet = codedSet(
  'dimensions',
  'dimension',
  [
    ['DEPARTMENT', 'Department'],
    ['CUSTOMERGROUP', 'Customer Group'],
    ['AREA', 'Area', { consolidationCode: 'REGION' }],
  ],
  {
    fields: fieldsOf('consolidationCode code 20'),
    navigations: [{ name: 'dimensionValues', target: 'dimensionValues', by: 'dimensionId' }],
    isSubscribable: true,
  },
);
