import type { Resolvers } from '../generated/graphql.ts';
import type { Choice } from '../graph/choice.ts';
import { mutationsOf } from './mutations.ts';
import type { RecordOf, RecordSet, Shape } from './records.ts';
import { recordResolvers } from './resolvers.ts';
import {
  documentExpansions,
  documentFields,
  documentNeeds,
  documentResolvers,
  type ExpandedDocument,
  type ExpandedLine,
  lineFields,
  lineResolvers,
  lineShape,
  withLines,
} from './sales-documents.ts';

// The real service's own word ends in a blank.
const quoteStatus = {
  names: { Draft: 'DRAFT', Sent: 'SENT', Accepted: 'ACCEPTED', 'Expired ': 'EXPIRED', Expired: 'EXPIRED' },
} satisfies Choice;

const salesQuoteLines = { type: 'SalesQuoteLine', fields: lineFields, ...lineShape } as const satisfies Shape;

/** The document shows quotes as a deep insert only; their fields are the real service's (docs/upstream.md). */
export const salesQuotes = {
  type: 'SalesQuote',
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
  needs: documentNeeds,
  expansions: {
    salesQuoteLines: { navigations: ['salesQuoteLines'], shape: salesQuoteLines, isMany: true },
    ...documentExpansions,
  },
} as const satisfies RecordSet;

export type SalesQuoteLineRecord = RecordOf<typeof lineFields> & ExpandedLine;

export type SalesQuoteRecord = RecordOf<(typeof salesQuotes)['fields']> &
  ExpandedDocument & { readonly salesQuoteLines?: readonly SalesQuoteLineRecord[] | null };

const { Company, SalesQuote } = recordResolvers(salesQuotes, 'salesQuote', 'salesQuotes');

const mutations = mutationsOf(salesQuotes, 'salesQuote', (business, quote: SalesQuoteRecord) =>
  withLines(business, salesQuotes, quote, 'salesQuoteLines'),
);

export const salesQuoteResolvers: Resolvers = {
  Company,
  Customer: {
    salesQuotes: ({ companyId, id }, page, { business }) =>
      business.list(salesQuotes, companyId, page, { customerId: id }),
  },
  SalesQuote: { ...SalesQuote, ...documentResolvers },
  SalesQuoteLine: lineResolvers,
  Mutation: { createSalesQuote: mutations.create },
};
