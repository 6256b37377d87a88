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

const salesOrderLines = {
  type: 'SalesOrderLine',
  entitySet: 'salesOrderLines',
  route: 'v2.0',
  ownerSet: 'salesOrders',
  assignsIds: true,
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
  dialects: {
    ...lineShape.dialects,
    document: { ...lineShape.dialects.document, lineKeys: { itemId: 'itemNo', accountId: 'itemNo' } },
  },
} as const satisfies RecordSet;

/** Document, A4. Fields the document does not list come from the real service (docs/upstream.md). */
export const salesOrders = {
  type: 'SalesOrder',
  names: { one: 'salesOrder', many: 'salesOrders', byNumber: 'salesOrderByNumber' },
  entitySet: 'salesOrders',
  route: 'v2.0',
  fields: {
    ...documentFields,
    orderDate: 'date',
    requestedDeliveryDate: 'date',
    pricesIncludeTax: 'boolean',
    partialShipping: 'boolean',
    discountAppliedBeforeTax: 'boolean',
    fullyShipped: 'boolean',
    status: 'word',
  },
  sourceColumns: { salesShipments: ['number'], pdf: ['number'] },
  dialects: { dynamics: { names: { documentLines: 'salesOrderLines' } } },
  relations: {
    // The source document expands `salesOrderLines` but shows the same lines as the field `documentLines`.
    documentLines: {
      target: salesOrderLines,
      navigations: ['salesOrderLines', 'documentLines'],
      isMany: true,
    },
    ...documentRelations,
  },
  files: { pdf: { segment: 'pdfDocument/pdfDocumentContent', isReplaceable: false, extension: '.pdf' } },
  list: {
    one: 'a sales order',
    many: 'sales orders',
    unfilterable: ['currencyCode', 'partialShipping'],
    filterNotes: { currencyId: "`eq: null` finds orders in the company's home currency" },
  },
  writes: ['create', 'update', 'delete'],
  requiredInCreate: ['customerId', 'customerNumber'],
  lines: { set: salesOrderLines, owner: 'order' },
  actions: [
    {
      mutation: 'shipAndInvoiceSalesOrder',
      name: 'shipAndInvoice',
      effect: 'mayRemove',
      // It looks for an invoice after it has posted, and fails if there is none.
      mayFailAfterCommit: true,
      result: { type: 'SalesInvoice', ownerColumn: 'orderId' },
      texts: {
        summary:
          'Ship and invoice what the lines of a sales order say, by `shipQuantity` and `invoiceQuantity`',
        record: 'the order',
        after:
          'The order as it is now; null once all of it is shipped and invoiced, because the upstream then removes it.',
        result: 'The newest invoice of the order; null where it has none, or none can be read.',
      },
    },
  ],
  watched: { description: 'Orders of customers; a change of a line counts as a change of its order.' },
  listedBy: { Customer: { customerId: 'id' } },
  complete: (business: Business, order: object): Promise<object> =>
    readMissingLines(business, salesOrders, order, 'documentLines'),
  resolvers: (): Resolvers => ({ SalesOrderLine: { item: resolveLineItem } }),
} as const satisfies RecordTypeDescriptor;

export type SalesOrderLineRecord = RecordFrom<typeof salesOrderLines>;

export type SalesOrderRecord = RecordFrom<typeof salesOrders>;
