import { boughtFields, lineNavigations, lineReferences } from '../documents/document-fields.ts';
import type { EntitySet } from '../entity-set.ts';
import { entitySet, fieldsOf } from '../entity-set.ts';

/** Lines of purchase invoices, under the names of the real service in both dialects. */
export const purchaseInvoiceLines: EntitySet = entitySet(
  'purchaseInvoiceLines',
  'purchaseInvoiceLine',
  [...boughtFields('unitCost'), ...fieldsOf('expectedReceiptDate date, itemVariantId guid, locationId guid')],
  {
    navigations: [
      { name: 'purchaseInvoice', target: 'purchaseInvoices', from: 'documentId' },
      ...lineNavigations(),
    ],
    references: lineReferences(),
    linesOf: 'purchaseInvoices',
  },
);
