import { lineNavigations, lineReferences, soldFields } from '../documents/document-fields.ts';
import type { EntitySet } from '../entity-set.ts';
import { entitySet, fieldsOf } from '../entity-set.ts';

/** Lines of orders without the quantities of their progress. */
export const salesInvoiceLines: EntitySet = entitySet(
  'salesInvoiceLines',
  'salesInvoiceLine',
  [
    ...soldFields(...fieldsOf('invoiceDiscountAllocation decimal readonly')),
    ...fieldsOf('shipmentDate date, itemVariantId guid, locationId guid'),
  ],
  {
    navigations: [
      { name: 'salesInvoice', target: 'salesInvoices', from: 'documentId' },
      ...lineNavigations(),
    ],
    references: lineReferences(),
    linesOf: 'salesInvoices',
  },
);
