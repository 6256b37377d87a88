import type { Resolvers } from '../../generated/graphql.ts';
import type { RecordFrom, RecordSet } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import {
  documentFields,
  documentRelations,
  lineFields,
  lineShape,
  postedStatus,
  resolveLineItem,
} from '../sales-documents.ts';
import { salesOrders } from './sales-orders.ts';

const salesInvoiceLines = {
  type: 'SalesInvoiceLine',
  entitySet: 'salesInvoiceLines',
  route: 'v2.0',
  ownerSet: 'salesInvoices',
  fields: { ...lineFields, invoiceDiscountAllocation: 'decimal', shipmentDate: 'date' },
  ...lineShape,
} as const satisfies RecordSet;

const postedStatuses: ReadonlySet<unknown> = new Set(['OPEN', 'PAID', 'CANCELED', 'CORRECTIVE']);

/** The source document has no invoices; these are the real service's (docs/upstream.md). */
export const salesInvoices = {
  type: 'SalesInvoice',
  names: { one: 'salesInvoice', many: 'salesInvoices', byNumber: 'salesInvoiceByNumber' },
  entitySet: 'salesInvoices',
  route: 'v2.0',
  fields: {
    ...documentFields,
    invoiceDate: 'date',
    dueDate: 'date',
    promisedPayDate: 'date',
    customerPurchaseOrderReference: 'text',
    orderId: 'uuid',
    orderNumber: 'code',
    pricesIncludeTax: 'boolean',
    remainingAmount: 'decimal',
    discountAppliedBeforeTax: 'boolean',
    disputeStatusId: 'uuid',
    disputeStatus: 'code',
    status: postedStatus,
  },
  relations: {
    salesInvoiceLines: { target: salesInvoiceLines, navigations: ['salesInvoiceLines'], isMany: true },
    ...documentRelations,
    order: { target: salesOrders, idColumn: 'orderId' },
  },
  files: { pdf: { segment: 'pdfDocument/pdfDocumentContent', isReplaceable: false, extension: '.pdf' } },
  sourceColumns: { pdf: ['number'] },
  list: {
    one: 'a sales invoice',
    many: 'sales invoices',
    unfilterable: ['currencyCode', 'remainingAmount'],
    conditions: { status: 'what has become of an invoice' },
  },
  actions: [
    {
      mutation: 'postSalesInvoice',
      name: 'post',
      effect: 'changes',
      isShownBy: (status) => postedStatuses.has(status),
      // It commits the posting, and then runs the extensions that wait for it.
      mayFailAfterCommit: true,
      texts: {
        summary: 'Post the draft of a sales invoice: it gets its final number, and can no longer be changed',
        record: 'the invoice',
        after: 'The invoice as it is now, under the same id.',
      },
    },
    {
      mutation: 'postAndSendSalesInvoice',
      name: 'postAndSend',
      effect: 'changes',
      // Its status shows that it was posted, and not whether it was sent.
      mayFailAfterCommit: true,
      texts: {
        summary:
          'Post the draft of a sales invoice, and send it to the customer by e-mail. It can be posted though it could not be sent',
        record: 'the invoice',
        after: 'The invoice as it is now, under the same id.',
      },
    },
    {
      mutation: 'sendSalesInvoice',
      name: 'send',
      effect: 'keeps',
      mayFailAfterCommit: true,
      texts: {
        summary: 'Send a sales invoice to its customer by e-mail',
        record: 'the invoice',
        after: 'The invoice as it is now.',
      },
    },
  ],
  listedBy: { Customer: { customerId: 'id' }, SalesOrder: { orderId: 'id' } },
  resolvers: (): Resolvers => ({ SalesInvoiceLine: { item: resolveLineItem } }),
} as const satisfies RecordTypeDescriptor;

export type SalesInvoiceLineRecord = RecordFrom<typeof salesInvoiceLines>;

export type SalesInvoiceRecord = RecordFrom<typeof salesInvoices>;
