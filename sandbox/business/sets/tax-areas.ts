import { codedSet } from '../coded-set.ts';
import type { EntitySet } from '../entity-set.ts';
import { choiceField, readOnly } from '../entity-set.ts';

export const taxAreas: EntitySet = codedSet(
  'taxAreas',
  'taxArea',
  [
    ['COAST', 'Coastal counties', { taxType: 'Sales Tax' }],
    ['INLAND', 'Inland counties', { taxType: 'Sales Tax' }],
    ['EXPORT', 'Export', { taxType: 'Sales Tax' }],
  ],
  { fields: [choiceField('taxType', ['Sales Tax', 'VAT'], readOnly)] },
);
