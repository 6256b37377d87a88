import { codedSet } from '../coded-set.ts';
import type { EntitySet } from '../entity-set.ts';
import { fieldsOf } from '../entity-set.ts';

export const unitsOfMeasure: EntitySet = codedSet(
  'unitsOfMeasure',
  'unitOfMeasure',
  [
    ['PCS', 'Piece', { symbol: 'pc', internationalStandardCode: 'EA' }],
    ['BOX', 'Box', { symbol: 'bx', internationalStandardCode: 'BX' }],
    ['SET', 'Set', { internationalStandardCode: 'SET' }],
    ['KG', 'Kilogram', { symbol: 'kg', internationalStandardCode: 'KGM' }],
    ['HOUR', 'Hour', { symbol: 'h', internationalStandardCode: 'HUR' }],
  ],
  { fields: fieldsOf('internationalStandardCode text 10, symbol text 10'), isSubscribable: true },
);
