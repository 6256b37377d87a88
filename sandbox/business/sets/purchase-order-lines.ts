import { boughtFields, lineNavigations, lineReferences } from '../documents/document-fields.ts';
import type { EntitySet } from '../entity-set.ts';
import { entitySet, fieldsOf } from '../entity-set.ts';

/** Lines of purchase orders, under the names of the real service in both dialects. */
export const purchaseOrderLines: EntitySet = entitySet(
  'purchaseOrderLines',
  'purchaseOrderLine',
  [
    ...boughtFields('directUnitCost'),
    ...fieldsOf(`
      expectedReceiptDate date, receivedQuantity decimal readonly, invoicedQuantity decimal readonly,
      invoiceQuantity decimal, receiveQuantity decimal, itemVariantId guid, locationId guid
    `),
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
