import type { Resolvers } from '../../generated/graphql.ts';
import type { EnumMapping } from '../../graph/enum-mapping.ts';
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

// The real service's own word ends in a blank.
const quoteStatus = {
  names: { Draft: 'DRAFT', Sent: 'SENT', Accepted: 'ACCEPTED', 'Expired ': 'EXPIRED', Expired: 'EXPIRED' },
} satisfies EnumMapping;

const salesQuoteLines = {
  type: 'SalesQuoteLine',
  entitySet: 'salesQuoteLines',
  apiVersion: 'v2.0',
  ownerSet: 'salesQuotes',
  assignsIds: true,
  fields: lineFields,
  ...lineShape,
} as const satisfies RecordSet;

/** The document shows quotes as a deep insert only; their fields are the real service's (docs/upstream.md). */
export const salesQuotes = {
  type: 'SalesQuote',
  names: { one: 'salesQuote', many: 'salesQuotes', byNumber: 'salesQuoteByNumber' },
  entitySet: 'salesQuotes',
  apiVersion: 'v2.0',
  fields: {
    ...documentFields,
    documentDate: 'date',
    dueDate: 'date',
    sentDate: 'dateTime',
    validUntilDate: 'date',
    acceptedDate: 'date',
    status: quoteStatus,
  },
  relations: {
    salesQuoteLines: { target: salesQuoteLines, navigations: ['salesQuoteLines'], isMany: true },
    ...documentRelations,
  },
  list: {
    one: 'a sales quote',
    many: 'sales quotes',
    unfilterable: ['currencyCode'],
    conditions: { status: 'the outcome of a quote' },
    filterNotes: { currencyId: "`eq: null` finds quotes in the company's home currency" },
  },
  writes: ['create'],
  lines: { set: salesQuoteLines, owner: 'quote' },
  watched: { description: 'Quotes for customers; a change of a line counts as a change of its quote.' },
  listedBy: { Customer: 'customerId' },
  complete: (business: Business, quote: object): Promise<object> =>
    readMissingLines(business, salesQuotes, quote, 'salesQuoteLines'),
  resolvers: (): Resolvers => ({ SalesQuoteLine: { item: resolveLineItem } }),
} as const satisfies RecordTypeDescriptor;

export type SalesQuoteLineRecord = RecordFrom<typeof salesQuoteLines>;

export type SalesQuoteRecord = RecordFrom<typeof salesQuotes>;
