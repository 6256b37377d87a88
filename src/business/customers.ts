import type { Resolvers } from '../generated/graphql.ts';
import type { Choice } from '../graph/choice.ts';
import { type CurrencyRecord, currencies } from './currencies.ts';
import { mutationsOf } from './mutations.ts';
import { type PaymentMethodRecord, paymentMethods } from './payment-methods.ts';
import { type PaymentTermRecord, paymentTerms } from './payment-terms.ts';
import type { RecordOf, RecordSet } from './records.ts';
import { recordResolvers, reference } from './resolvers.ts';
import { type ShipmentMethodRecord, shipmentMethods } from './shipment-methods.ts';

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
  needs: {
    paymentTerm: ['paymentTermsId'],
    currency: ['currencyId'],
    shipmentMethod: ['shipmentMethodId'],
    paymentMethod: ['paymentMethodId'],
  },
  expansions: {
    paymentTerm: { navigations: ['paymentTerm'], shape: paymentTerms, isMany: false },
    currency: { navigations: ['currency'], shape: currencies, isMany: false },
    shipmentMethod: { navigations: ['shipmentMethod'], shape: shipmentMethods, isMany: false },
    paymentMethod: { navigations: ['paymentMethod'], shape: paymentMethods, isMany: false },
  },
} as const satisfies RecordSet;

export type CustomerRecord = RecordOf<(typeof customers)['fields']> & {
  readonly paymentTerm?: PaymentTermRecord | null;
  readonly currency?: CurrencyRecord | null;
  readonly shipmentMethod?: ShipmentMethodRecord | null;
  readonly paymentMethod?: PaymentMethodRecord | null;
};

const { Company, Customer } = recordResolvers(customers, 'customer', 'customers');

const mutations = mutationsOf(customers, 'customer');

export const customerResolvers: Resolvers = {
  Company,
  Customer: {
    ...Customer,
    paymentTerm: reference('paymentTerm', 'paymentTermsId', paymentTerms),
    currency: reference('currency', 'currencyId', currencies),
    shipmentMethod: reference('shipmentMethod', 'shipmentMethodId', shipmentMethods),
    paymentMethod: reference('paymentMethod', 'paymentMethodId', paymentMethods),
  },
  Mutation: {
    createCustomer: mutations.create,
    updateCustomer: mutations.update,
    updateCustomers: mutations.updateMany,
    deleteCustomer: mutations.remove,
  },
};
