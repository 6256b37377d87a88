import type { Reference } from './records.ts';

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

/** A pair of fields `…Id` and `…Code` that name one record. */
export function byCode(stem: string, target: string, caption: string): Reference {
  return { idField: `${stem}Id`, codeField: `${stem}Code`, key: 'code', target, caption };
}
