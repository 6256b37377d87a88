import { addressFields, lineNavigations, lineReferences, soldFields } from './order-sets.ts';
import type { RecordSet } from './records.ts';
import {
  choice,
  code,
  computed,
  date,
  dateTime,
  decimal,
  guid,
  readOnly,
  recordSet,
  text,
} from './records.ts';
import { currency, headerNavigations, parties, paymentTerms, shipmentMethod } from './reference-fields.ts';

/** Quotes as the real service has them: the document shows them only as an example (gap: see docs/upstream.md). */
export const salesQuotes: RecordSet = recordSet(
  'salesQuotes',
  'salesQuote',
  [
    guid('id', readOnly),
    code('number', 20, readOnly),
    code('externalDocumentNumber', 35),
    date('documentDate'),
    date('postingDate'),
    date('dueDate'),
    guid('customerId'),
    code('customerNumber', 20),
    text('customerName', 100, readOnly),
    text('billToName', 100, readOnly),
    guid('billToCustomerId'),
    code('billToCustomerNumber', 20),
    text('shipToName', 100),
    text('shipToContact', 100),
    ...addressFields('sellTo'),
    ...addressFields('billTo'),
    ...addressFields('shipTo'),
    guid('currencyId'),
    code('currencyCode', 10, computed),
    code('shortcutDimension1Code', 20),
    code('shortcutDimension2Code', 20),
    guid('paymentTermsId'),
    guid('shipmentMethodId'),
    code('salesperson', 20),
    decimal('discountAmount'),
    decimal('totalAmountExcludingTax', readOnly),
    decimal('totalTaxAmount', readOnly),
    decimal('totalAmountIncludingTax', readOnly),
    // The real service's last word ends in a blank.
    choice('status', ['Draft', 'Sent', 'Accepted', 'Expired '], readOnly),
    dateTime('sentDate'),
    date('validUntilDate'),
    date('acceptedDate'),
    text('phoneNumber', 30),
    text('email', 80),
    dateTime('lastModifiedDateTime'),
  ],
  {
    navigations: [{ name: 'salesQuoteLines', target: 'salesQuoteLines' }, ...headerNavigations],
    references: [...parties, currency, paymentTerms, shipmentMethod],
    writes: ['POST', 'DELETE'],
  },
);

/** Lines of quotes ship nothing, so they lack what order lines say about that. */
export const salesQuoteLines: RecordSet = recordSet(
  'salesQuoteLines',
  'salesQuoteLine',
  [...soldFields(), guid('itemVariantId'), guid('locationId')],
  {
    navigations: [{ name: 'salesQuote', target: 'salesQuotes', from: 'documentId' }, ...lineNavigations()],
    references: lineReferences(),
    linesOf: 'salesQuotes',
  },
);
