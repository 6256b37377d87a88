import type { Resolvers } from '../generated/graphql.ts';
import type { Choice } from '../graph/choice.ts';
import type { RecordOf, RecordSet } from './records.ts';

const customerType = { names: { Company: 'COMPANY', Person: 'PERSON' } } satisfies Choice;

const customerBlocked = {
  names: { ' ': 'NOT_BLOCKED', Ship: 'SHIP', Invoice: 'INVOICE', All: 'ALL' },
  unset: ' ',
} satisfies Choice;

/** Document, A1. Fields the document does not list come from the real service (docs/upstream.md). */
export const customers = {
  type: 'Customer',
  entitySet: 'customers',
  apiVersion: 'v2.0',
  fields: {
    id: 'uuid',
    number: 'text',
    displayName: 'text',
    type: customerType,
    addressLine1: 'text',
    addressLine2: 'text',
    city: 'text',
    state: 'text',
    country: 'text',
    postalCode: 'text',
    phoneNumber: 'text',
    email: 'text',
    website: 'text',
    salespersonCode: 'text',
    balanceDue: 'decimal',
    creditLimit: 'decimal',
    taxLiable: 'boolean',
    taxAreaId: 'uuid',
    taxAreaDisplayName: 'text',
    taxRegistrationNumber: 'text',
    currencyId: 'uuid',
    currencyCode: 'text',
    paymentTermsId: 'uuid',
    shipmentMethodId: 'uuid',
    paymentMethodId: 'uuid',
    blocked: customerBlocked,
    lastModifiedDateTime: 'dateTime',
  },
} as const satisfies RecordSet;

export type CustomerRecord = RecordOf<(typeof customers)['fields']>;

export const customerResolvers: Resolvers = {
  Company: {
    customer: ({ id: companyId }, { id }, { business }) => business.load(customers, companyId, id),
    customers: ({ id: companyId }, page, { business }) => business.list(customers, companyId, page),
  },
  Customer: {
    __resolveReference: ({ companyId, id }, { business }) => business.load(customers, companyId, id),
    company: ({ companyId }) => ({ id: companyId }),
  },
  Mutation: {
    async updateCustomer(_root, { input }, { business }) {
      const companyId = business.companyId(input.companyId);
      const { record, userErrors } = await business.update(customers, { ...input, companyId });
      return { customer: record, userErrors };
    },
  },
};
