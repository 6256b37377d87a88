import {
  type Company,
  type DocumentParty,
  type FieldValue,
  type RecordValues,
  unsetDate,
  unsetGuid,
} from '../entity-set.ts';
import { recordsOf } from '../store.ts';
import { taxPercentFor } from './totals.ts';

export const customerParty: DocumentParty = {
  set: 'customers',
  idField: 'customerId',
  numberField: 'customerNumber',
  payerIdField: 'billToCustomerId',
  fields: {
    customerId: 'id',
    customerNumber: 'number',
    customerName: 'displayName',
    shipToName: 'displayName',
    currencyId: 'currencyId',
    currencyCode: 'currencyCode',
    paymentTermsId: 'paymentTermsId',
    shipmentMethodId: 'shipmentMethodId',
    salesperson: 'salespersonCode',
    phoneNumber: 'phoneNumber',
    email: 'email',
    ...addressFieldSources('sellTo'),
    ...addressFieldSources('shipTo'),
  },
  payerFields: {
    billToCustomerId: 'id',
    billToCustomerNumber: 'number',
    billToName: 'displayName',
    ...addressFieldSources('billTo'),
  },
  priceField: 'unitPrice',
  itemPriceField: 'unitPrice',
  lineTable: 'Sales Line',
};

/** Purchases are shipped to the company itself. */
export const vendorParty: DocumentParty = {
  set: 'vendors',
  idField: 'vendorId',
  numberField: 'vendorNumber',
  payerIdField: 'payToVendorId',
  fields: {
    vendorId: 'id',
    vendorNumber: 'number',
    vendorName: 'displayName',
    currencyId: 'currencyId',
    currencyCode: 'currencyCode',
    paymentTermsId: 'paymentTermsId',
    ...addressFieldSources('buyFrom'),
  },
  payerFields: {
    payToVendorId: 'id',
    payToVendorNumber: 'number',
    payToName: 'displayName',
    ...addressFieldSources('payTo'),
  },
  priceField: 'directUnitCost',
  itemPriceField: 'unitCost',
  lineTable: 'Purchase Line',
};

const itemFields = {
  itemId: 'id',
  itemNo: 'number',
  description: 'displayName',
  unitOfMeasureId: 'baseUnitOfMeasureId',
  unitOfMeasureCode: 'baseUnitOfMeasureCode',
  taxCode: 'taxGroupCode',
};

/** Fields of a line that are copied from its item. */
export function copyItemFields(
  company: Company,
  { priceField, itemPriceField }: DocumentParty,
  item: RecordValues,
  party: RecordValues,
): RecordValues {
  const taxPercent = taxPercentFor(company, String(item.taxGroupCode), party);
  const fields = copyFields(item, { ...itemFields, [priceField]: itemPriceField });
  return { ...fields, lineType: 'Item', taxPercent };
}

/** The party of a document. Throws a `TypeError` when there is none, which stored documents rule out. */
export function partyOf(
  company: Company,
  { set, idField }: DocumentParty,
  document: RecordValues,
): RecordValues {
  const party = recordsOf(company, set).get(String(document[idField] ?? unsetGuid));
  if (!party) throw new TypeError(`expected one of ${set}, got '${document[idField]}'`);
  return party.values;
}

/** The company's own name and address, which its purchases are shipped to. */
export function copyShipToFields(company: Company): RecordValues {
  const [own] = recordsOf(company, 'companyInformation').values();
  return copyFields(own?.values ?? {}, { shipToName: 'displayName', ...addressFieldSources('shipTo') });
}

/** The shipment date of an order's lines: the requested delivery date, or the order date. */
export function shipmentDateOf(order: RecordValues): FieldValue {
  const requested = order.requestedDeliveryDate;
  return requested === undefined || requested === unsetDate ? (order.orderDate ?? unsetDate) : requested;
}

function addressFieldSources(prefix: string): Record<string, string> {
  return {
    [`${prefix}AddressLine1`]: 'addressLine1',
    [`${prefix}AddressLine2`]: 'addressLine2',
    [`${prefix}City`]: 'city',
    [`${prefix}Country`]: 'country',
    [`${prefix}State`]: 'state',
    [`${prefix}PostCode`]: 'postalCode',
  };
}

/** By field, the value of the source's field of the name given for it. */
export function copyFields(source: RecordValues, names: Readonly<Record<string, string>>): RecordValues {
  const values: Record<string, FieldValue> = {};
  for (const to in names) values[to] = source[names[to] ?? ''] ?? '';
  return values;
}
