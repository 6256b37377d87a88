import { lineNavigations, lineReferences, soldFields } from '../documents/document-fields.ts';
import type { EntitySet } from '../entity-set.ts';
import { dateField, decimalField, entitySet, guidField, readOnly } from '../entity-set.ts';

/** The same fields as those of invoices. */
export const salesCreditMemoLines: EntitySet = entitySet(
  'salesCreditMemoLines',
  'salesCreditMemoLine',
  [
    ...soldFields(decimalField('invoiceDiscountAllocation', readOnly)),
    dateField('shipmentDate'),
    guidField('itemVariantId'),
    guidField('locationId'),
  ],
  {
    navigations: [
      { name: 'salesCreditMemo', target: 'salesCreditMemos', from: 'documentId' },
      ...lineNavigations(),
    ],
    references: lineReferences(),
    linesOf: 'salesCreditMemos',
  },
);
