import type { RecordFrom } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';

/** The condition by which attachments belong to a record: ids alone are unique within a type only. */
const of = (parentType: string) => ({
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
    parentType: 'word',
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
