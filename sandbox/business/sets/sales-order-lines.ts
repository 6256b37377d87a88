import { lineNavigations, lineReferences, soldFields } from '../documents/document-fields.ts';
import type { EntitySet } from '../entity-set.ts';
import { dateField, decimalField, entitySet, guidField, readOnly } from '../entity-set.ts';

/** The line object of A4 and what the real service adds, under the document's names `lineNo` and `itemNo`. */
export const salesOrderLines: EntitySet = entitySet(
  'salesOrderLines',
  'salesOrderLine',
  [
    ...soldFields(decimalField('invoiceDiscountAllocation', readOnly)),
    dateField('shipmentDate'),
    decimalField('shippedQuantity', readOnly),
    decimalField('invoicedQuantity', readOnly),
    decimalField('invoiceQuantity'),
    decimalField('shipQuantity'),
    guidField('itemVariantId'),
    guidField('locationId'),
  ],
  {
    navigations: [{ name: 'salesOrder', target: 'salesOrders', from: 'documentId' }, ...lineNavigations()],
    references: lineReferences(),
    linesOf: 'salesOrders',
  },
);
