import type { Resolvers } from '../generated/graphql.ts';
import type { Choice } from '../graph/choice.ts';
import type { UserError } from '../graph/user-errors.ts';
import type { Business } from './business.ts';
import type { Dialect } from './dialect.ts';
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
} from './sales-documents.ts';
import { refusal, writeFields } from './writes.ts';

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

// The answer to a create shows the lines only on some upstreams. Elsewhere the order is read again; it has
// been made by then, so a failure to read must not look like a failure to make it.
async function withLines(business: Business, order: SalesOrderRecord): Promise<SalesOrderRecord> {
  const isComplete =
    order.documentLines != null || !business.selection.fields('SalesOrder').has('documentLines');
  if (isComplete) return order;
  return (await business.load(salesOrders, order.companyId, order.id).catch(() => null)) ?? order;
}

const { Company, SalesOrder } = recordResolvers(salesOrders, 'salesOrder', 'salesOrders');

const nameOfLines = ({ name }: Dialect) => (name === 'dynamics' ? 'salesOrderLines' : 'documentLines');

export const salesOrderResolvers: Resolvers = {
  Company,
  Customer: {
    salesOrders: ({ companyId, id }, page, { business }) =>
      business.list(salesOrders, companyId, page, { customerId: id }),
  },
  SalesOrder: { ...SalesOrder, ...documentResolvers },
  SalesOrderLine: lineResolvers,
  Mutation: {
    async createSalesOrder(_root, { input }, { business }) {
      const { companyId: asked, documentLines, ...header } = input;
      const companyId = business.companyId(asked);
      const { body, faults } = writeFields(salesOrders, business.dialect, header, []);
      const lines = documentLines?.map((line, index) =>
        writeFields(salesOrderLines, business.dialect, line, ['documentLines', String(index)]),
      );
      const allFaults: UserError[] = [...faults, ...(lines?.flatMap((line) => line.faults) ?? [])];
      const { record, userErrors } =
        allFaults.length > 0
          ? refusal(...allFaults)
          : await business.create(salesOrders, companyId, {
              ...body,
              ...(lines && { [nameOfLines(business.dialect)]: lines.map((line) => line.body) }),
            });
      return { salesOrder: record && (await withLines(business, record)), userErrors };
    },
  },
};
