import type { Navigation, RecordReference } from './entity-set.ts';

/** References of customers and orders to other records. */
export const currencyReference: RecordReference = {
  idField: 'currencyId',
  codeField: 'currencyCode',
  key: 'code',
  target: 'currencies',
  caption: 'Currency',
};
export const paymentTermsReference: RecordReference = {
  idField: 'paymentTermsId',
  target: 'paymentTerms',
  caption: 'Payment Terms',
};
export const shipmentMethodReference: RecordReference = {
  idField: 'shipmentMethodId',
  target: 'shipmentMethods',
  caption: 'Shipment Method',
};

/** References of an order or quote to its sell-to and bill-to customers. */
export const partyReferences: readonly RecordReference[] = [
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

/** References of a purchase to the vendor that sells, and the one that is paid. */
export const vendorReferences: readonly RecordReference[] = [
  {
    idField: 'vendorId',
    codeField: 'vendorNumber',
    key: 'number',
    target: 'vendors',
    caption: 'Vendor',
    isRequired: true,
  },
  {
    idField: 'payToVendorId',
    codeField: 'payToVendorNumber',
    key: 'number',
    target: 'vendors',
    caption: 'Vendor',
    isRequired: true,
  },
];

/** Navigations of a purchase, except those to its lines. */
export const purchaseNavigations: readonly Navigation[] = [
  { name: 'vendor', target: 'vendors', from: 'vendorId' },
  { name: 'currency', target: 'currencies', from: 'currencyId' },
  { name: 'paymentTerm', target: 'paymentTerms', from: 'paymentTermsId' },
  { name: 'shipmentMethod', target: 'shipmentMethods', from: 'shipmentMethodId' },
];

/** Navigations of an order or quote, except those to its lines. */
export const headerNavigations: readonly Navigation[] = [
  { name: 'customer', target: 'customers', from: 'customerId' },
  { name: 'currency', target: 'currencies', from: 'currencyId' },
  { name: 'paymentTerm', target: 'paymentTerms', from: 'paymentTermsId' },
  { name: 'shipmentMethod', target: 'shipmentMethods', from: 'shipmentMethodId' },
];

/** A reference by the fields `…Id` and `…Code`. */
export function referenceByCode(stem: string, target: string, caption: string): RecordReference {
  return { idField: `${stem}Id`, codeField: `${stem}Code`, key: 'code', target, caption };
}
