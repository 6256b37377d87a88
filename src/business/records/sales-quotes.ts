import type { Resolvers } from '../../generated/graphql.ts';
import type { Business } from '../business.ts';
import type { RecordFrom, RecordSet } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import {
  documentFields,
  documentRelations,
  lineFields,
  lineShape,
  readMissingLines,
  resolveLineItem,
} from '../sales-documents.ts';

const salesQuoteLines = {
  type: 'SalesQuoteLine',
  entitySet: 'salesQuoteLines',
  route: 'v2.0',
  ownerSet: 'salesQuotes',
  assignsIds: true,
  fields: lineFields,
  ...lineShape,
  dialects: {
    ...lineShape.dialects,
    document: { ...lineShape.dialects.document, lineKeys: { itemNo: 'itemId' } },
  },
} as const satisfies RecordSet;

/** The document shows quotes as a deep insert only; their fields are the real service's (docs/upstream.md). */
export const salesQuotes = {
  type: 'SalesQuote',
  names: { one: 'salesQuote', many: 'salesQuotes', byNumber: 'salesQuoteByNumber' },
  entitySet: 'salesQuotes',
  route: 'v2.0',
  fields: {
    ...documentFields,
    documentDate: 'date',
    dueDate: 'date',
    sentDate: 'dateTime',
    validUntilDate: 'date',
    acceptedDate: 'date',
    status: 'word',
  },
  relations: {
    salesQuoteLines: { target: salesQuoteLines, navigations: ['salesQuoteLines'], isMany: true },
    ...documentRelations,
  },
  files: { pdf: { segment: 'pdfDocument/pdfDocumentContent', isReplaceable: false, extension: '.pdf' } },
  sourceColumns: { pdf: ['number'] },
  list: {
    one: 'a sales quote',
    many: 'sales quotes',
    unfilterable: ['currencyCode'],
    filterNotes: { currencyId: "`eq: null` finds quotes in the company's home currency" },
  },
  writes: ['create'],
  requiredInCreate: ['customerId', 'customerNumber'],
  lines: { set: salesQuoteLines, owner: 'quote' },
  actions: [
    {
      mutation: 'makeOrderFromQuote',
      name: 'makeOrder',
      effect: 'removes',
      result: { type: 'SalesOrder' },
      texts: {
        summary: 'Turn a sales quote into a sales order',
        record: 'the quote',
        after:
          'Null when the order was made, because the upstream then removes the quote; otherwise the quote as it is now.',
        result: 'The order; null where it was not made, or where the upstream does not name it.',
      },
    },
    {
      mutation: 'makeInvoiceFromQuote',
      name: 'makeInvoice',
      effect: 'removes',
      result: { type: 'SalesInvoice' },
      texts: {
        summary: 'Turn a sales quote into the draft of a sales invoice',
        record: 'the quote',
        after:
          'Null when the invoice was made, because the upstream then removes the quote; otherwise the quote as it is now.',
        result: 'The draft; null where it was not made, or where the upstream does not name it.',
      },
    },
    {
      mutation: 'sendSalesQuote',
      name: 'send',
      effect: 'changes',
      // A status of `Sent` may be that of an earlier time.
      mayFailAfterCommit: true,
      texts: {
        summary: 'Send a sales quote to its customer by e-mail',
        record: 'the quote',
        after: 'The quote as it is now.',
      },
    },
  ],
  watched: { description: 'Quotes for customers; a change of a line counts as a change of its quote.' },
  listedBy: { Customer: { customerId: 'id' } },
  complete: (business: Business, quote: object): Promise<object> =>
    readMissingLines(business, salesQuotes, quote, 'salesQuoteLines'),
  resolvers: (): Resolvers => ({ SalesQuoteLine: { item: resolveLineItem } }),
} as const satisfies RecordTypeDescriptor;

export type SalesQuoteLineRecord = RecordFrom<typeof salesQuoteLines>;

export type SalesQuoteRecord = RecordFrom<typeof salesQuotes>;
