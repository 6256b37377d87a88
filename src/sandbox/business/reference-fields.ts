import type { Navigation, Reference } from './records.ts';

/** The fields by which customers and orders name other records. */
export const currency: Reference = {
  idField: 'currencyId',
  codeField: 'currencyCode',
  key: 'code',
  target: 'currencies',
  caption: 'Currency',
};
export const paymentTerms: Reference = {
  idField: 'paymentTermsId',
  target: 'paymentTerms',
  caption: 'Payment Terms',
};
export const shipmentMethod: Reference = {
  idField: 'shipmentMethodId',
  target: 'shipmentMethods',
  caption: 'Shipment Method',
};

/** The customers a sales order or quote is for, and who pays. */
export const parties: readonly Reference[] = [
  {
    idField: 'customerId',
    codeField: 'customerNumber',
    key: 'number',
    target: 'customers',
    caption: 'Customer',
    isRequired: true,
  },
  {
    idField: 'billToCustomerId',
    codeField: 'billToCustomerNumber',
    key: 'number',
    target: 'customers',
    caption: 'Customer',
    isRequired: true,
  },
];

/** Where the header of a sales order or quote leads, besides its lines. */
export const headerNavigations: readonly Navigation[] = [
  { name: 'customer', target: 'customers', from: 'customerId' },
  { name: 'currency', target: 'currencies', from: 'currencyId' },
  { name: 'paymentTerm', target: 'paymentTerms', from: 'paymentTermsId' },
  { name: 'shipmentMethod', target: 'shipmentMethods', from: 'shipmentMethodId' },
];

/** A pair of fields `…Id` and `…Code` that name one record. */
export function byCode(stem: string, target: string, caption: string): Reference {
  return { idField: `${stem}Id`, codeField: `${stem}Code`, key: 'code', target, caption };
}
