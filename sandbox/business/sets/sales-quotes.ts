import { seededParties, seedLine } from '../../seed/order-lines.ts';
import { seededTime } from '../../seed/values.ts';
import { derivedGuid, elementAt } from '../../seeded.ts';
import {
  addressFields,
  currencyReference,
  headerNavigations,
  lineNavigations,
  lineReferences,
  partyReferences,
  paymentTermsReference,
  shipmentMethodReference,
  soldFields,
} from '../documents/document-fields.ts';
import { copyPartyFields, copyPayerFields, customerParty } from '../documents/order-parties.ts';
import { calculateTotals, dueDateOf } from '../documents/totals.ts';
import {
  choiceField,
  type EntitySet,
  entitySet,
  fieldsOf,
  type RecordValues,
  readOnly,
  type SeedContext,
  type SeedRecord,
  unsetDate,
} from '../entity-set.ts';
import { idOf } from '../store.ts';
import { blankValues } from '../writes/field-values.ts';

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

/** Quotes as the real service has them: the document shows them only as an example (gap: see docs/upstream.md). */
export const salesQuotes: EntitySet = entitySet(
  'salesQuotes',
  'salesQuote',
  [
    ...fieldsOf(`
      id guid readonly, number code 20 readonly, externalDocumentNumber code 35, documentDate date,
      postingDate date, dueDate date, customerId guid, customerNumber code 20,
      customerName text 100 readonly, billToName text 100 readonly, billToCustomerId guid,
      billToCustomerNumber code 20, shipToName text 100, shipToContact text 100
    `),
    ...addressFields('sellTo'),
    ...addressFields('billTo'),
    ...addressFields('shipTo'),
    ...fieldsOf(`
      currencyId guid, currencyCode code 10 computed, shortcutDimension1Code code 20,
      shortcutDimension2Code code 20, paymentTermsId guid, shipmentMethodId guid, salesperson code 20,
      discountAmount decimal, totalAmountExcludingTax decimal readonly,
      totalTaxAmount decimal readonly, totalAmountIncludingTax decimal readonly
    `),
    // The last word of the real service ends in a blank.
    choiceField('status', ['Draft', 'Sent', 'Accepted', 'Expired '], readOnly),
    ...fieldsOf(`
      sentDate dateTime, validUntilDate date, acceptedDate date, phoneNumber text 30, email text 80,
      lastModifiedDateTime dateTime
    `),
  ],
  {
    navigations: [{ name: 'salesQuoteLines', target: 'salesQuoteLines' }, ...headerNavigations],
    references: [...partyReferences, currencyReference, paymentTermsReference, shipmentMethodReference],
    isSubscribable: true,
    files: ['pdfDocument'],
    writes: ['POST', 'DELETE'],
    actions: ['makeOrder', 'makeInvoice', 'send'],
    numberSeries: { name: 'S-QUO', prefix: 'S-QUO', first: 1_001, step: 1, digits: 4, isManual: false },
    document: {
      caption: 'Sales Quote',
      party: customerParty,
      lines: salesQuoteLines,
      defaults: (today) => ({ documentDate: today, postingDate: today }),
      lineDefaults: () => ({}),
      derive: (quote, company) => ({ dueDate: dueDateOf(company, quote.documentDate, quote.paymentTermsId) }),
    },
    seed: { counts: [60, 20], record: seedQuote },
  },
);

/** One quote of the number series, S-QUO1001 first, with one to four lines. Every status occurs. */
function seedQuote({ set, company, random }: SeedContext, index: number): SeedRecord {
  const { customer, payer } = seededParties(company, index * 3 + 1);
  const status = elementAt(['Draft', 'Sent', 'Accepted', 'Sent', 'Expired '], index);
  const documentDate = seededTime(index * 40).slice(0, 10);
  const header: RecordValues = {
    ...blankValues(set),
    ...copyPartyFields(customerParty, customer),
    ...copyPayerFields(customerParty, payer),
    ...datesOf(status, index),
    id: derivedGuid(`${idOf(company.record)}:salesQuotes:${index}`),
    number: `S-QUO${1001 + index}`,
    externalDocumentNumber: random.oneIn(2) ? `RFQ-${random.between(1000, 9999)}` : '',
    documentDate,
    postingDate: documentDate,
    dueDate: seededTime(index * 40 + 480).slice(0, 10),
    shipToContact: random.oneIn(2) ? 'Goods inward' : '',
    shortcutDimension1Code: random.pick(['', 'SALES', 'PROJECT']),
    shortcutDimension2Code: random.pick(['', 'SMALL', 'MEDIUM', 'LARGE']),
    discountAmount: index % 10 === 6 ? random.between(1, 5) : 0,
    status,
    lastModifiedDateTime: seededTime(index * 40 + 20),
  };
  const lines = Array.from({ length: 1 + (index % 4) }, (_, lineIndex) =>
    seedLine(company, header, customer, salesQuoteLines, index, lineIndex, random),
  );
  const totalled = calculateTotals(header, lines);
  return { values: totalled.order, lines: totalled.lines };
}

/**
 * A draft has no sent date, only an accepted quote has an accepted date, and some quotes have no end of
 * validity.
 */
function datesOf(status: string, index: number): RecordValues {
  if (status === 'Draft') return {};
  return {
    sentDate: seededTime(index * 40 + 10),
    validUntilDate: index % 6 === 3 ? unsetDate : seededTime(index * 40 + 300).slice(0, 10),
    acceptedDate: status === 'Accepted' ? seededTime(index * 40 + 60).slice(0, 10) : unsetDate,
  };
}
