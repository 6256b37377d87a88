import type { EntitySet } from './entity-set.ts';
import { accounts } from './sets/accounts.ts';
import { agedAccountsReceivables } from './sets/aged-accounts-receivables.ts';
import { companies } from './sets/companies.ts';
import { companyInformation } from './sets/company-information.ts';
import { contacts } from './sets/contacts.ts';
import { currencies } from './sets/currencies.ts';
import { customerFinancialDetails } from './sets/customer-financial-details.ts';
import { customers } from './sets/customers.ts';
import { dimensionValues } from './sets/dimension-values.ts';
import { dimensions } from './sets/dimensions.ts';
import { documentAttachments } from './sets/document-attachments.ts';
import { employees } from './sets/employees.ts';
import { generalLedgerEntries } from './sets/general-ledger-entries.ts';
import { generalProductPostingGroups } from './sets/general-product-posting-groups.ts';
import { inventoryPostingGroups } from './sets/inventory-posting-groups.ts';
import { itemCategories } from './sets/item-categories.ts';
import { itemExtensions } from './sets/item-extensions.ts';
import { items } from './sets/items.ts';
import { paymentMethods } from './sets/payment-methods.ts';
import { paymentTerms } from './sets/payment-terms.ts';
import { purchaseInvoiceLines } from './sets/purchase-invoice-lines.ts';
import { purchaseInvoices } from './sets/purchase-invoices.ts';
import { purchaseOrderLines } from './sets/purchase-order-lines.ts';
import { purchaseOrders } from './sets/purchase-orders.ts';
import { resources } from './sets/resources.ts';
import { salesCreditMemoLines } from './sets/sales-credit-memo-lines.ts';
import { salesCreditMemos } from './sets/sales-credit-memos.ts';
import { salesInvoiceLines } from './sets/sales-invoice-lines.ts';
import { salesInvoices } from './sets/sales-invoices.ts';
import { salesOrderLines } from './sets/sales-order-lines.ts';
import { salesOrders } from './sets/sales-orders.ts';
import { salesQuoteLines } from './sets/sales-quote-lines.ts';
import { salesQuotes } from './sets/sales-quotes.ts';
import { salesShipmentLines } from './sets/sales-shipment-lines.ts';
import { salesShipments } from './sets/sales-shipments.ts';
import { shipmentMethods } from './sets/shipment-methods.ts';
import { taxAreas } from './sets/tax-areas.ts';
import { taxGroups } from './sets/tax-groups.ts';
import { unitsOfMeasure } from './sets/units-of-measure.ts';
import { vendors } from './sets/vendors.ts';

/**
 * Every entity set, under the names of the document, in the order in which companies are seeded. A set refers
 * only to sets before it; a new one goes to the end, so that the records of the others stay as they are.
 */
export const entitySets: readonly EntitySet[] = [
  companies,
  paymentTerms,
  shipmentMethods,
  paymentMethods,
  currencies,
  unitsOfMeasure,
  itemCategories,
  taxAreas,
  taxGroups,
  generalProductPostingGroups,
  inventoryPostingGroups,
  accounts,
  customers,
  items,
  salesOrderLines,
  salesOrders,
  employees,
  salesQuoteLines,
  salesQuotes,
  companyInformation,
  salesInvoiceLines,
  salesInvoices,
  salesShipmentLines,
  salesShipments,
  salesCreditMemoLines,
  salesCreditMemos,
  customerFinancialDetails,
  agedAccountsReceivables,
  documentAttachments,
  vendors,
  purchaseOrderLines,
  purchaseOrders,
  purchaseInvoiceLines,
  purchaseInvoices,
  contacts,
  dimensions,
  dimensionValues,
  generalLedgerEntries,
  resources,
  itemExtensions,
];

/** The entity set of a name that the code itself uses. Throws a `TypeError` for any other. */
export function setNamed(name: string): EntitySet {
  const set = entitySets.find((one) => one.name === name);
  if (!set) throw new TypeError(`expected an entity set, got '${name}'`);
  return set;
}
