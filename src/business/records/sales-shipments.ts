import type { Resolvers } from '../../generated/graphql.ts';
import { loadItem } from '../items/item-reads.ts';
import type { RecordFrom, RowShape } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import {
  contactFields,
  deliveryAddressFields,
  documentRelations,
  partyAddressFields,
  partyFields,
  recipientFields,
} from '../sales-documents.ts';

// `lineType` has the words of the real service's table, where other lines have those of its API (docs/upstream.md).
const salesShipmentLines = {
  type: 'SalesShipmentLine',
  fields: {
    id: 'uuid',
    documentId: 'uuid',
    documentNo: 'code',
    lineNo: 'int',
    lineType: 'wordOrBlank',
    itemNo: 'code',
    description: 'text',
    description2: 'text',
    unitOfMeasureCode: 'code',
    unitPrice: 'decimal',
    quantity: 'decimal',
    discountPercent: 'decimal',
    taxPercent: 'decimal',
    shipmentDate: 'date',
  },
  ownerFields: ['currencyCode'],
  sourceColumns: { item: ['lineType', 'itemNo'] },
  dialects: { dynamics: { names: { lineNo: 'sequence', itemNo: 'lineObjectNumber' } } },
} as const satisfies RowShape;

const { customer, billToCustomer } = documentRelations;

/** The source document has no shipments; these are the real service's, without amounts and status (docs/upstream.md). */
export const salesShipments = {
  type: 'SalesShipment',
  names: { one: 'salesShipment', many: 'salesShipments', byNumber: 'salesShipmentByNumber' },
  entitySet: 'salesShipments',
  route: 'v2.0',
  fields: {
    ...partyFields,
    ...recipientFields,
    ...partyAddressFields,
    ...deliveryAddressFields,
    ...contactFields,
    invoiceDate: 'date',
    dueDate: 'date',
    customerPurchaseOrderReference: 'text',
    currencyCode: 'code',
    orderNumber: 'code',
    paymentTermsCode: 'code',
    shipmentMethodCode: 'code',
    salesperson: 'code',
    pricesIncludeTax: 'boolean',
  },
  relations: {
    salesShipmentLines: { target: salesShipmentLines, navigations: ['salesShipmentLines'], isMany: true },
    customer,
    billToCustomer,
  },
  list: { one: 'a sales shipment', many: 'sales shipments', unfilterable: ['currencyCode'] },
  // A shipment holds no id of its order.
  listedBy: { Customer: { customerId: 'id' }, SalesOrder: { orderNumber: 'number' } },
  resolvers: (): Resolvers => ({
    SalesShipmentLine: {
      // A line holds no id of its item.
      item: ({ companyId, lineType, itemNo }, { version }, { business }) =>
        lineType === 'Item' && itemNo !== null
          ? loadItem(business, companyId, { number: itemNo }, version ?? 'AUTO')
          : null,
    },
  }),
} as const satisfies RecordTypeDescriptor;

export type SalesShipmentLineRecord = RecordFrom<typeof salesShipmentLines>;

export type SalesShipmentRecord = RecordFrom<typeof salesShipments>;
