import type { Value, Values } from './records.ts';
import { unsetDate, unsetGuid } from './records.ts';
import type { Company } from './store.ts';
import { recordsOf } from './store.ts';
import { taxPercentOf } from './totals.ts';

const soldToFields = {
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
  ...addressFields('sellTo'),
  ...addressFields('shipTo'),
};

const billedToFields = {
  billToCustomerId: 'id',
  billToCustomerNumber: 'number',
  billToName: 'displayName',
  ...addressFields('billTo'),
};

const soldItemFields = {
  itemId: 'id',
  itemNo: 'number',
  description: 'displayName',
  unitOfMeasureId: 'baseUnitOfMeasureId',
  unitOfMeasureCode: 'baseUnitOfMeasureCode',
  unitPrice: 'unitPrice',
  taxCode: 'taxGroupCode',
};

/** What an order takes over from the customer it is sold to. */
export function soldTo(customer: Values): Values {
  return copied(customer, soldToFields);
}

/** What an order takes over from the customer who pays. */
export function billedTo(customer: Values): Values {
  return copied(customer, billedToFields);
}

/** What an order line takes over from the item it sells to a customer. */
export function soldItem(company: Company, item: Values, customer: Values): Values {
  const taxPercent = taxPercentOf(company, String(item.taxGroupCode), customer);
  return { ...copied(item, soldItemFields), lineType: 'Item', taxPercent };
}

/** The customer an order is sold to; orders refer to existing customers only. */
export function customerOf(company: Company, order: Values): Values {
  const customer = recordsOf(company, 'customers').get(String(order.customerId ?? unsetGuid));
  if (!customer) throw new TypeError(`expected a customer, got '${order.customerId}'`);
  return customer.values;
}

/** The day an order's lines leave: as requested, else the day of the order. */
export function shipmentDateOf(order: Values): Value {
  const requested = order.requestedDeliveryDate;
  return requested === undefined || requested === unsetDate ? (order.orderDate ?? unsetDate) : requested;
}

function addressFields(prefix: string): Record<string, string> {
  return {
    [`${prefix}AddressLine1`]: 'addressLine1',
    [`${prefix}AddressLine2`]: 'addressLine2',
    [`${prefix}City`]: 'city',
    [`${prefix}Country`]: 'country',
    [`${prefix}State`]: 'state',
    [`${prefix}PostCode`]: 'postalCode',
  };
}

function copied(source: Values, names: Readonly<Record<string, string>>): Values {
  const values: Record<string, Value> = {};
  for (const to in names) values[to] = source[names[to] ?? ''] ?? '';
  return values;
}
