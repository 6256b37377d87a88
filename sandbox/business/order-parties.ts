import type { Company } from './store.ts';
import { recordsOf } from './store.ts';
import { taxPercentFor } from './totals.ts';
import type { FieldValue, RecordValues } from './values.ts';
import { unsetDate, unsetGuid } from './values.ts';

const sellToFields = {
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
};

const billToFields = {
  billToCustomerId: 'id',
  billToCustomerNumber: 'number',
  billToName: 'displayName',
  ...addressFieldSources('billTo'),
};

const itemFields = {
  itemId: 'id',
  itemNo: 'number',
  description: 'displayName',
  unitOfMeasureId: 'baseUnitOfMeasureId',
  unitOfMeasureCode: 'baseUnitOfMeasureCode',
  unitPrice: 'unitPrice',
  taxCode: 'taxGroupCode',
};

/** Fields of an order that are copied from the sell-to customer. */
export function copySellToFields(customer: RecordValues): RecordValues {
  return copyFields(customer, sellToFields);
}

/** Fields of an order that are copied from the bill-to customer. */
export function copyBillToFields(customer: RecordValues): RecordValues {
  return copyFields(customer, billToFields);
}

/** Fields of an order line that are copied from its item. */
export function copyItemFields(company: Company, item: RecordValues, customer: RecordValues): RecordValues {
  const taxPercent = taxPercentFor(company, String(item.taxGroupCode), customer);
  return { ...copyFields(item, itemFields), lineType: 'Item', taxPercent };
}

/** The sell-to customer of an order. Throws a `TypeError` when there is none, which stored orders rule out. */
export function sellToCustomer(company: Company, order: RecordValues): RecordValues {
  const customer = recordsOf(company, 'customers').get(String(order.customerId ?? unsetGuid));
  if (!customer) throw new TypeError(`expected a customer, got '${order.customerId}'`);
  return customer.values;
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

function copyFields(source: RecordValues, names: Readonly<Record<string, string>>): RecordValues {
  const values: Record<string, FieldValue> = {};
  for (const to in names) values[to] = source[names[to] ?? ''] ?? '';
  return values;
}
