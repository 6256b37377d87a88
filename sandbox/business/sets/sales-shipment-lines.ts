import type { EntitySet } from '../entity-set.ts';
import { choiceField, entitySet, fieldsOf } from '../entity-set.ts';

/** Quantities and prices, without ids and amounts. The types have words of their own. */
export const salesShipmentLines: EntitySet = entitySet(
  'salesShipmentLines',
  'salesShipmentLine',
  [
    ...fieldsOf('id guid, documentId guid, documentNo code 20, lineNo integer'),
    choiceField('lineType', [' ', 'G/L Account', 'Item']),
    ...fieldsOf(`
      itemNo code 20, description text 100, description2 text 50, unitOfMeasureCode code 10,
      unitPrice decimal, quantity decimal, discountPercent decimal, taxPercent decimal,
      shipmentDate date
    `),
  ],
  {
    navigations: [{ name: 'salesShipment', target: 'salesShipments', from: 'documentId' }],
    linesOf: 'salesShipments',
  },
);
