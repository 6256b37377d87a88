import type { RecordTypeDescriptor } from '../record-type.ts';
import { accounts } from './accounts.ts';
import { companies } from './companies.ts';
import { currencies } from './currencies.ts';
import { customers } from './customers.ts';
import { documentAttachments } from './document-attachments.ts';
import { employees } from './employees.ts';
import { itemCategories } from './item-categories.ts';
import { items } from './items.ts';
import { paymentMethods } from './payment-methods.ts';
import { paymentTerms } from './payment-terms.ts';
import { salesCreditMemos } from './sales-credit-memos.ts';
import { salesInvoices } from './sales-invoices.ts';
import { salesOrders } from './sales-orders.ts';
import { salesQuotes } from './sales-quotes.ts';
import { salesShipments } from './sales-shipments.ts';
import { shipmentMethods } from './shipment-methods.ts';
import { unitsOfMeasure } from './units-of-measure.ts';

/** Every record type, once: types, resolvers and what can be watched derive from this list. */
export const recordTypes: readonly RecordTypeDescriptor[] = [
  companies,
  customers,
  items,
  salesOrders,
  salesQuotes,
  employees,
  paymentTerms,
  itemCategories,
  unitsOfMeasure,
  currencies,
  shipmentMethods,
  paymentMethods,
  accounts,
  salesInvoices,
  salesShipments,
  salesCreditMemos,
  documentAttachments,
];
