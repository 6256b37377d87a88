import type { Resolvers } from '../../generated/graphql.ts';
import type { EnumMapping } from '../../graph/enum-mapping.ts';
import type { RecordFrom, RecordSet } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import { currencies } from './currencies.ts';
import { paymentMethods } from './payment-methods.ts';
import { paymentTerms } from './payment-terms.ts';
import { shipmentMethods } from './shipment-methods.ts';

/** What a customer owes, as the real service sums it up for each read (docs/upstream.md). */
export const customerFinancialDetails = {
  type: 'CustomerFinancials',
  entitySet: 'customerFinancialDetails',
  route: 'v2.0',
  fields: {
    id: 'uuid',
    balance: 'decimal',
    totalSalesExcludingTax: 'decimal',
    overdueAmount: 'decimal',
  },
} as const satisfies RecordSet;

const idOfCustomer = { names: { id: 'customerId' } } as const;

/** What a customer owes by how long it is due. The real service computes all customers for each read of one. */
export const agedAccountsReceivables = {
  type: 'AgedReceivables',
  entitySet: 'agedAccountsReceivables',
  route: 'v2.0',
  fields: {
    id: 'uuid',
    balanceDue: 'decimal',
    currentAmount: 'decimal',
    period1Label: 'text',
    period1Amount: 'decimal',
    period2Label: 'text',
    period2Amount: 'decimal',
    period3Label: 'text',
    period3Amount: 'decimal',
    agedAsOfDate: 'date',
    periodLengthFilter: 'text',
  },
  dialects: { document: idOfCustomer, dynamics: idOfCustomer },
} as const satisfies RecordSet;

export type CustomerFinancialsRecord = RecordFrom<typeof customerFinancialDetails>;

export type AgedReceivablesRecord = RecordFrom<typeof agedAccountsReceivables>;

const customerType = { names: { Company: 'COMPANY', Person: 'PERSON' } } satisfies EnumMapping;

const customerBlocked = {
  names: { ' ': 'NOT_BLOCKED', Ship: 'SHIP', Invoice: 'INVOICE', All: 'ALL' },
  unset: ' ',
} satisfies EnumMapping;

/** Document, A1. Fields the document does not list come from the real service (docs/upstream.md). */
export const customers = {
  type: 'Customer',
  names: { one: 'customer', many: 'customers', byNumber: 'customerByNumber' },
  entitySet: 'customers',
  route: 'v2.0',
  fields: {
    id: 'uuid',
    number: 'code',
    displayName: 'text',
    type: customerType,
    addressLine1: 'text',
    addressLine2: 'text',
    city: 'text',
    state: 'text',
    country: 'code',
    postalCode: 'code',
    phoneNumber: 'text',
    email: 'text',
    website: 'text',
    salespersonCode: 'code',
    balanceDue: 'decimal',
    creditLimit: 'decimal',
    taxLiable: 'boolean',
    taxAreaId: 'uuid',
    taxAreaDisplayName: 'text',
    taxRegistrationNumber: 'text',
    currencyId: 'uuid',
    currencyCode: 'code',
    paymentTermsId: 'uuid',
    shipmentMethodId: 'uuid',
    paymentMethodId: 'uuid',
    blocked: customerBlocked,
    lastModifiedDateTime: 'dateTime',
  },
  relations: {
    paymentTerm: { target: paymentTerms, idColumn: 'paymentTermsId', navigations: ['paymentTerm'] },
    currency: { target: currencies, idColumn: 'currencyId', navigations: ['currency'] },
    shipmentMethod: {
      target: shipmentMethods,
      idColumn: 'shipmentMethodId',
      navigations: ['shipmentMethod'],
    },
    paymentMethod: { target: paymentMethods, idColumn: 'paymentMethodId', navigations: ['paymentMethod'] },
    financials: {
      target: customerFinancialDetails,
      idColumn: 'id',
      navigations: ['customerFinancialDetail'],
      isForWrites: false,
    },
    // Not expanded: the real service computes all customers for each row that it expands.
    agedReceivables: { target: agedAccountsReceivables, idColumn: 'id' },
  },
  files: { picture: { segment: 'picture/pictureContent', isReplaceable: true } },
  sourceColumns: { picture: ['number'] },
  list: {
    one: 'a customer',
    many: 'customers',
    unfilterable: ['taxAreaDisplayName', 'taxRegistrationNumber', 'currencyCode'],
    conditions: { type: 'what kind of customer it is', blocked: 'which dealings are stopped' },
  },
  writes: ['create', 'update', 'delete'],
  watched: { description: 'Customers that buy from the company.' },
  resolvers: (): Resolvers => ({
    CustomerFinancials: { company: ({ companyId }) => ({ id: companyId }) },
    AgedReceivables: { company: ({ companyId }) => ({ id: companyId }) },
  }),
} as const satisfies RecordTypeDescriptor;

export type CustomerRecord = RecordFrom<typeof customers>;
