import { boughtFields, lineNavigations, lineReferences } from '../documents/document-fields.ts';
import type { EntitySet } from '../entity-set.ts';
import { dateField, entitySet, guidField } from '../entity-set.ts';

/** Lines of purchase invoices, under the names of the real service in both dialects. */
export const purchaseInvoiceLines: EntitySet = entitySet(
  'purchaseInvoiceLines',
  'purchaseInvoiceLine',
  [
    ...boughtFields('unitCost'),
    dateField('expectedReceiptDate'),
    guidField('itemVariantId'),
    guidField('locationId'),
  ],
  {
    navigations: [
      { name: 'purchaseInvoice', target: 'purchaseInvoices', from: 'documentId' },
      ...lineNavigations(),
    ],
    references: lineReferences(),
    linesOf: 'purchaseInvoices',
  },
);
