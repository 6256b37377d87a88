import { lineNavigations, lineReferences, soldFields } from '../documents/document-fields.ts';
import type { EntitySet } from '../entity-set.ts';
import { entitySet, fieldsOf } from '../entity-set.ts';

/** Lines of quotes have no shipment fields. */
export const salesQuoteLines: EntitySet = entitySet(
  'salesQuoteLines',
  'salesQuoteLine',
  [...soldFields(), ...fieldsOf('itemVariantId guid, locationId guid')],
  {
    navigations: [{ name: 'salesQuote', target: 'salesQuotes', from: 'documentId' }, ...lineNavigations()],
    references: lineReferences(),
    linesOf: 'salesQuotes',
  },
);
