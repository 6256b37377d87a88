import type { Resolvers } from '../../generated/graphql.ts';
import type { RecordFrom, RecordSet } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import {
  contactFields,
  documentRelations,
  lineFields,
  lineShape,
  partyAddressFields,
  partyFields,
  postedStatus,
  resolveLineItem,
  termFields,
} from '../sales-documents.ts';
import { salesInvoices } from './sales-invoices.ts';

const salesCreditMemoLines = {
  type: 'SalesCreditMemoLine',
  entitySet: 'salesCreditMemoLines',
  route: 'v2.0',
  ownerSet: 'salesCreditMemos',
  fields: { ...lineFields, invoiceDiscountAllocation: 'decimal', shipmentDate: 'date' },
  ...lineShape,
} as const satisfies RecordSet;

/** The source document has no credit memos; these are the real service's, which have no delivery (docs/upstream.md). */
export const salesCreditMemos = {
  type: 'SalesCreditMemo',
  names: { one: 'salesCreditMemo', many: 'salesCreditMemos', byNumber: 'salesCreditMemoByNumber' },
  entitySet: 'salesCreditMemos',
  route: 'v2.0',
  fields: {
    ...partyFields,
    ...partyAddressFields,
    ...termFields,
    ...contactFields,
    creditMemoDate: 'date',
    dueDate: 'date',
    pricesIncludeTax: 'boolean',
    discountAppliedBeforeTax: 'boolean',
    invoiceId: 'uuid',
    invoiceNumber: 'code',
    customerReturnReasonId: 'uuid',
    status: postedStatus,
  },
  relations: {
    salesCreditMemoLines: {
      target: salesCreditMemoLines,
      navigations: ['salesCreditMemoLines'],
      isMany: true,
    },
    ...documentRelations,
    invoice: { target: salesInvoices, idColumn: 'invoiceId' },
  },
  files: { pdf: { segment: 'pdfDocument/pdfDocumentContent', isReplaceable: false, extension: '.pdf' } },
  sourceColumns: { pdf: ['number'] },
  list: {
    one: 'a sales credit memo',
    many: 'sales credit memos',
    unfilterable: ['currencyCode', 'invoiceId'],
    conditions: { status: 'what has become of a credit memo' },
  },
  listedBy: { Customer: { customerId: 'id' } },
  resolvers: (): Resolvers => ({ SalesCreditMemoLine: { item: resolveLineItem } }),
} as const satisfies RecordTypeDescriptor;

export type SalesCreditMemoLineRecord = RecordFrom<typeof salesCreditMemoLines>;

export type SalesCreditMemoRecord = RecordFrom<typeof salesCreditMemos>;
