import { lineNavigations, lineReferences, soldFields } from '../documents/document-fields.ts';
import type { EntitySet } from '../entity-set.ts';
import { entitySet, fieldsOf } from '../entity-set.ts';

/** The same fields as those of invoices. */
export const salesCreditMemoLines: EntitySet = entitySet(
  'salesCreditMemoLines',
  'salesCreditMemoLine',
  [
    ...soldFields(...fieldsOf('invoiceDiscountAllocation decimal readonly')),
    ...fieldsOf('shipmentDate date, itemVariantId guid, locationId guid'),
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
