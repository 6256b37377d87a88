import { lineNavigations, lineReferences, soldFields } from '../documents/document-fields.ts';
import type { EntitySet } from '../entity-set.ts';
import { entitySet, fieldsOf } from '../entity-set.ts';

/** The line object of A4 and what the real service adds, under the document's names `lineNo` and `itemNo`. */
export const salesOrderLines: EntitySet = entitySet(
  'salesOrderLines',
  'salesOrderLine',
  [
    ...soldFields(...fieldsOf('invoiceDiscountAllocation decimal readonly')),
    ...fieldsOf(`
      shipmentDate date, shippedQuantity decimal readonly, invoicedQuantity decimal readonly,
      invoiceQuantity decimal, shipQuantity decimal, itemVariantId guid, locationId guid
    `),
  ],
  {
    navigations: [{ name: 'salesOrder', target: 'salesOrders', from: 'documentId' }, ...lineNavigations()],
    references: lineReferences(),
    linesOf: 'salesOrders',
  },
);
