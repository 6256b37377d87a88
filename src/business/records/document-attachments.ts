import type { EnumMapping } from '../../graph/enum-mapping.ts';
import type { RecordFrom } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';

const parentTypes = {
  names: {
    'Sales Order': 'SALES_ORDER',
    'Sales Quote': 'SALES_QUOTE',
    'Sales Invoice': 'SALES_INVOICE',
    'Sales Credit Memo': 'SALES_CREDIT_MEMO',
    'Purchase Order': 'PURCHASE_ORDER',
    'Purchase Invoice': 'PURCHASE_INVOICE',
    'Purchase Credit Memo': 'PURCHASE_CREDIT_MEMO',
    Customer: 'CUSTOMER',
    Item: 'ITEM',
    Employee: 'EMPLOYEE',
    Vendor: 'VENDOR',
    Job: 'JOB',
    Journal: 'JOURNAL',
  },
} satisfies EnumMapping;

/** The condition by which attachments belong to a record: ids alone are unique within a type only. */
const of = (parentType: keyof typeof parentTypes.names) => ({
  parentId: 'id',
  parentType: { is: parentType },
});

/** The source document has no attachments; these are the real service's (docs/upstream.md). */
export const documentAttachments = {
  type: 'DocumentAttachment',
  names: { one: 'documentAttachment', many: 'documentAttachments' },
  entitySet: 'documentAttachments',
  route: 'v2.0',
  fields: {
    id: 'uuid',
    fileName: 'text',
    byteSize: 'int',
    parentType: parentTypes,
    parentId: 'uuid',
    lineNumber: 'int',
    documentFlowSales: 'boolean',
    documentFlowPurchase: 'boolean',
    lastModifiedDateTime: 'dateTime',
  },
  files: { content: { segment: 'attachmentContent', isReplaceable: true, nameColumn: 'fileName' } },
  sourceColumns: { content: ['fileName'] },
  list: {
    one: 'a document attachment',
    many: 'document attachments',
    conditions: { parentType: 'the kind of record that an attachment belongs to' },
  },
  writes: ['create', 'delete'],
  listedBy: {
    Customer: of('Customer'),
    Item: of('Item'),
    Employee: of('Employee'),
    SalesOrder: of('Sales Order'),
    SalesQuote: of('Sales Quote'),
    SalesInvoice: of('Sales Invoice'),
    SalesCreditMemo: of('Sales Credit Memo'),
  },
} as const satisfies RecordTypeDescriptor;

export type DocumentAttachmentRecord = RecordFrom<typeof documentAttachments>;
