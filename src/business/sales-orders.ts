import type { Resolvers } from '../generated/graphql.ts';
import type { Choice } from '../graph/choice.ts';
import type { UserError } from '../graph/user-errors.ts';
import type { Business } from './business.ts';
import { customers } from './customers.ts';
import { loadItem } from './items.ts';
import type { RecordOf, RecordSet, Shape } from './records.ts';
import { refusal, writeFields } from './writes.ts';

const orderStatus = {
  names: { Draft: 'DRAFT', 'In Review': 'IN_REVIEW', Open: 'OPEN' },
} satisfies Choice;

const lineType = {
  names: {
    Comment: 'COMMENT',
    Account: 'ACCOUNT',
    Item: 'ITEM',
    Resource: 'RESOURCE',
    'Fixed Asset': 'FIXED_ASSET',
    Charge: 'CHARGE',
    'Allocation Account': 'ALLOCATION_ACCOUNT',
  },
} satisfies Choice;

/** Document, A4, line object. Fields the document does not list come from the real service (docs/upstream.md). */
const salesOrderLines = {
  type: 'SalesOrderLine',
  fields: {
    id: 'uuid',
    lineType,
    lineNo: 'int',
    itemNo: 'text',
    itemId: 'uuid',
    accountId: 'uuid',
    description: 'text',
    unitOfMeasureId: 'uuid',
    unitOfMeasureCode: 'text',
    quantity: 'decimal',
    unitPrice: 'decimal',
    discountAmount: 'decimal',
    discountPercent: 'decimal',
    discountAppliedBeforeTax: 'boolean',
    amountExcludingTax: 'decimal',
    taxCode: 'text',
    taxPercent: 'decimal',
    totalTaxAmount: 'decimal',
    amountIncludingTax: 'decimal',
    netAmount: 'decimal',
    netTaxAmount: 'decimal',
    netAmountIncludingTax: 'decimal',
    shipmentDate: 'date',
    shippedQuantity: 'decimal',
    invoicedQuantity: 'decimal',
    invoiceQuantity: 'decimal',
    shipQuantity: 'decimal',
  },
  needs: { item: ['lineType', 'itemNo'] },
} as const satisfies Shape;

/** Document, A4. Fields the document does not list come from the real service (docs/upstream.md). */
export const salesOrders = {
  type: 'SalesOrder',
  entitySet: 'salesOrders',
  apiVersion: 'v2.0',
  fields: {
    id: 'uuid',
    number: 'text',
    externalDocumentNumber: 'text',
    orderDate: 'date',
    postingDate: 'date',
    requestedDeliveryDate: 'date',
    customerId: 'uuid',
    customerNumber: 'text',
    customerName: 'text',
    billToCustomerId: 'uuid',
    billToCustomerNumber: 'text',
    billToName: 'text',
    shipToName: 'text',
    shipToContact: 'text',
    sellToAddressLine1: 'text',
    sellToAddressLine2: 'text',
    sellToCity: 'text',
    sellToCountry: 'text',
    sellToState: 'text',
    sellToPostCode: 'text',
    billToAddressLine1: 'text',
    billToAddressLine2: 'text',
    billToCity: 'text',
    billToCountry: 'text',
    billToState: 'text',
    billToPostCode: 'text',
    shipToAddressLine1: 'text',
    shipToAddressLine2: 'text',
    shipToCity: 'text',
    shipToCountry: 'text',
    shipToState: 'text',
    shipToPostCode: 'text',
    shortcutDimension1Code: 'text',
    shortcutDimension2Code: 'text',
    currencyId: 'uuid',
    currencyCode: 'text',
    pricesIncludeTax: 'boolean',
    paymentTermsId: 'uuid',
    shipmentMethodId: 'uuid',
    salesperson: 'text',
    partialShipping: 'boolean',
    discountAmount: 'decimal',
    discountAppliedBeforeTax: 'boolean',
    totalAmountExcludingTax: 'decimal',
    totalTaxAmount: 'decimal',
    totalAmountIncludingTax: 'decimal',
    fullyShipped: 'boolean',
    status: orderStatus,
    lastModifiedDateTime: 'dateTime',
    phoneNumber: 'text',
    email: 'text',
  },
  needs: { customer: ['customerId'], billToCustomer: ['billToCustomerId'] },
  // The document expands `salesOrderLines` but shows the same lines as the field `documentLines`.
  children: {
    field: 'documentLines',
    navigations: ['salesOrderLines', 'documentLines'],
    shape: salesOrderLines,
  },
} as const satisfies RecordSet;

export type SalesOrderLineRecord = RecordOf<(typeof salesOrderLines)['fields']>;

export type SalesOrderRecord = RecordOf<(typeof salesOrders)['fields']> & {
  readonly documentLines?: readonly SalesOrderLineRecord[] | null;
};

// The answer to a create shows the lines only on some upstreams. Elsewhere the order is read again; it has
// been made by then, so a failure to read must not look like a failure to make it.
async function withLines(business: Business, order: SalesOrderRecord): Promise<SalesOrderRecord> {
  const isComplete =
    order.documentLines != null || !business.selection.fields('SalesOrder').has('documentLines');
  if (isComplete) return order;
  return (await business.load(salesOrders, order.companyId, order.id).catch(() => null)) ?? order;
}

export const salesOrderResolvers: Resolvers = {
  Company: {
    salesOrder: ({ id: companyId }, { id }, { business }) => business.load(salesOrders, companyId, id),
    salesOrders: ({ id: companyId }, page, { business }) => business.list(salesOrders, companyId, page),
  },
  SalesOrder: {
    __resolveReference: ({ companyId, id }, { business }) => business.load(salesOrders, companyId, id),
    company: ({ companyId }) => ({ id: companyId }),
    customer: ({ companyId, customerId }, _args, { business }) =>
      customerId === null ? null : business.load(customers, companyId, customerId),
    billToCustomer: ({ companyId, billToCustomerId }, _args, { business }) =>
      billToCustomerId === null ? null : business.load(customers, companyId, billToCustomerId),
  },
  SalesOrderLine: {
    item({ companyId, itemId, lineType, itemNo }, { version }, { business }) {
      if (itemId) return loadItem(business, companyId, { id: itemId }, version ?? 'AUTO');
      // The document lists no line types: a word that is not known may still mean an item.
      const isOther = lineType != null && lineType !== 'ITEM' && lineType !== 'UNRECOGNIZED';
      if (isOther || itemNo == null) return null;
      return loadItem(business, companyId, { number: itemNo }, version ?? 'AUTO');
    },
  },
  Mutation: {
    async createSalesOrder(_root, { input }, { business }) {
      const { companyId: asked, documentLines, ...header } = input;
      const companyId = business.companyId(asked);
      const { body, faults } = writeFields(salesOrders.fields, header, []);
      const lines = documentLines?.map((line, index) =>
        writeFields(salesOrderLines.fields, line, ['documentLines', String(index)]),
      );
      const allFaults: UserError[] = [...faults, ...(lines?.flatMap((line) => line.faults) ?? [])];
      const { record, userErrors } =
        allFaults.length > 0
          ? refusal(...allFaults)
          : await business.create(salesOrders, companyId, {
              ...body,
              ...(lines && { documentLines: lines.map((line) => line.body) }),
            });
      return { salesOrder: record && (await withLines(business, record)), userErrors };
    },
  },
};
