import type { EntitySet } from '../entity-set.ts';
import {
  choiceField,
  codeField,
  dateField,
  decimalField,
  entitySet,
  guidField,
  integerField,
  textField,
} from '../entity-set.ts';

/** Quantities and prices, without ids and amounts. The types have words of their own. */
export const salesShipmentLines: EntitySet = entitySet(
  'salesShipmentLines',
  'salesShipmentLine',
  [
    guidField('id'),
    guidField('documentId'),
    codeField('documentNo', 20),
    integerField('lineNo'),
    choiceField('lineType', [' ', 'G/L Account', 'Item']),
    codeField('itemNo', 20),
    textField('description', 100),
    textField('description2', 50),
    codeField('unitOfMeasureCode', 10),
    decimalField('unitPrice'),
    decimalField('quantity'),
    decimalField('discountPercent'),
    decimalField('taxPercent'),
    dateField('shipmentDate'),
  ],
  {
    navigations: [{ name: 'salesShipment', target: 'salesShipments', from: 'documentId' }],
    linesOf: 'salesShipments',
  },
);
