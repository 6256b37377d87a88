import { lineNavigations, lineReferences, soldFields } from '../documents/document-fields.ts';
import type { EntitySet } from '../entity-set.ts';
import { entitySet, guidField } from '../entity-set.ts';

/** Lines of quotes have no shipment fields. */
export const salesQuoteLines: EntitySet = entitySet(
  'salesQuoteLines',
  'salesQuoteLine',
  [...soldFields(), guidField('itemVariantId'), guidField('locationId')],
  {
    navigations: [{ name: 'salesQuote', target: 'salesQuotes', from: 'documentId' }, ...lineNavigations()],
    references: lineReferences(),
    linesOf: 'salesQuotes',
  },
);
