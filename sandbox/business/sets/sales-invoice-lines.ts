import { lineNavigations, lineReferences, soldFields } from '../documents/document-fields.ts';
import type { EntitySet } from '../entity-set.ts';
import { dateField, decimalField, entitySet, guidField, readOnly } from '../entity-set.ts';

/** Lines of orders without the quantities of their progress. */
export const salesInvoiceLines: EntitySet = entitySet(
  'salesInvoiceLines',
  'salesInvoiceLine',
  [
    ...soldFields(decimalField('invoiceDiscountAllocation', readOnly)),
    dateField('shipmentDate'),
    guidField('itemVariantId'),
    guidField('locationId'),
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
