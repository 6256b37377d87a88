import { codedSet } from '../coded-set.ts';
import type { EntitySet } from '../entity-set.ts';
import { choiceField, readOnly } from '../entity-set.ts';

/** `percent` is not a field of the service. It is stored for the tax of order lines. */
export const taxGroups: EntitySet = codedSet(
  'taxGroups',
  'taxGroup',
  [
    ['FURNITURE', 'Furniture', { taxType: 'Sales Tax', percent: 6 }],
    ['TEXTILES', 'Textiles', { taxType: 'Sales Tax', percent: 7.5 }],
    ['LABOR', 'Labour', { taxType: 'Sales Tax', percent: 0 }],
  ],
  { fields: [choiceField('taxType', ['Sales Tax', 'VAT'], readOnly)] },
);
