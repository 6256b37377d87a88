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

const orderStatus = {
  names: { Draft: 'DRAFT', 'In Review': 'IN_REVIEW', Open: 'OPEN' },
} satisfies Choice;

const salesOrderLines = {
  type: 'SalesOrderLine',
  fields: {
    ...lineFields,
    invoiceDiscountAllocation: 'decimal',
    shipmentDate: 'date',
    shippedQuantity: 'decimal',
    invoicedQuantity: 'decimal',
    invoiceQuantity: 'decimal',
    shipQuantity: 'decimal',
  },
  ...lineShape,
} as const satisfies Shape;

/** Document, A4. Fields the document does not list come from the real service (docs/upstream.md). */
export const salesOrders = {
  type: 'SalesOrder',
  entitySet: 'salesOrders',
  apiVersion: 'v2.0',
  fields: {
    ...documentFields,
    orderDate: 'date',
    requestedDeliveryDate: 'date',
    pricesIncludeTax: 'boolean',
    partialShipping: 'boolean',
    discountAppliedBeforeTax: 'boolean',
    fullyShipped: 'boolean',
    status: orderStatus,
  },
  needs: documentNeeds,
  dialects: { dynamics: { names: { documentLines: 'salesOrderLines' }, needs: {} } },
  // The document expands `salesOrderLines` but shows the same lines as the field `documentLines`.
  expansions: {
    documentLines: {
      navigations: ['salesOrderLines', 'documentLines'],
      shape: salesOrderLines,
      isMany: true,
    },
    ...documentExpansions,
  },
} as const satisfies RecordSet;

export type SalesOrderLineRecord = RecordOf<(typeof salesOrderLines)['fields']> & ExpandedLine;

export type SalesOrderRecord = RecordOf<(typeof salesOrders)['fields']> &
  ExpandedDocument & { readonly documentLines?: readonly SalesOrderLineRecord[] | null };

const { Company, SalesOrder } = recordResolvers(salesOrders, 'salesOrder', 'salesOrders');

const mutations = mutationsOf(salesOrders, 'salesOrder', (business, order: SalesOrderRecord) =>
  withLines(business, salesOrders, order, 'documentLines'),
);

export const salesOrderResolvers: Resolvers = {
  Company,
  Customer: {
    salesOrders: ({ companyId, id }, page, { business }) =>
      business.list(salesOrders, companyId, page, { customerId: id }),
  },
  SalesOrder: { ...SalesOrder, ...documentResolvers },
  SalesOrderLine: lineResolvers,
  Mutation: {
    createSalesOrder: mutations.create,
    createSalesOrders: mutations.createMany,
    updateSalesOrder: mutations.update,
    deleteSalesOrder: mutations.remove,
  },
};
