import { boughtFields, lineNavigations, lineReferences } from '../documents/document-fields.ts';
import type { EntitySet } from '../entity-set.ts';
import { dateField, decimalField, entitySet, guidField, readOnly } from '../entity-set.ts';

/** Lines of purchase orders, under the names of the real service in both dialects. */
export const purchaseOrderLines: EntitySet = entitySet(
  'purchaseOrderLines',
  'purchaseOrderLine',
  [
    ...boughtFields('directUnitCost'),
    dateField('expectedReceiptDate'),
    decimalField('receivedQuantity', readOnly),
    decimalField('invoicedQuantity', readOnly),
    decimalField('invoiceQuantity'),
    decimalField('receiveQuantity'),
    guidField('itemVariantId'),
    guidField('locationId'),
  ],
  {
    navigations: [
      { name: 'purchaseOrder', target: 'purchaseOrders', from: 'documentId' },
      ...lineNavigations(),
    ],
    references: lineReferences(),
    linesOf: 'purchaseOrders',
  },
);
