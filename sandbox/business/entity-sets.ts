import { type EntitySet, standardRoute, v1Route } from './entity-set.ts';
import { itemExtensions, resources } from './sets/added-sets.ts';
import { companies, companyInformation } from './sets/companies.ts';
import { contacts } from './sets/contacts.ts';
import { agedAccountsReceivables, customerFinancialDetails } from './sets/customer-financial-details.ts';
import { customers } from './sets/customers.ts';
import { documentAttachments } from './sets/document-attachments.ts';
import { employees } from './sets/employees.ts';
import { generalLedgerEntries } from './sets/general-ledger-entries.ts';
import { items } from './sets/items.ts';
import * as posted from './sets/posted-sales.ts';
import * as purchases from './sets/purchases.ts';
import * as reference from './sets/reference-sets.ts';
import { salesOrderLines, salesOrders, salesQuoteLines, salesQuotes } from './sets/sales-documents.ts';
import { vendors } from './sets/vendors.ts';

/**
 * Every entity set, under the names of the document, in the order in which companies are seeded. A set refers
 * only to sets before it; a new one goes to the end, so that the records of the others stay as they are.
 */
export const entitySets: readonly EntitySet[] = [
  companies,
  reference.paymentTerms,
  reference.shipmentMethods,
  reference.paymentMethods,
  reference.currencies,
  reference.unitsOfMeasure,
  reference.itemCategories,
  reference.taxAreas,
  reference.taxGroups,
  reference.generalProductPostingGroups,
  reference.inventoryPostingGroups,
  reference.accounts,
  reference.locations,
  reference.salespeoplePurchasers,
  reference.countriesRegions,
  customers,
  items,
  reference.itemVariants,
  salesOrderLines,
  salesOrders,
  employees,
  salesQuoteLines,
  salesQuotes,
  companyInformation,
  posted.salesInvoiceLines,
  posted.salesInvoices,
  posted.salesShipmentLines,
  posted.salesShipments,
  posted.salesCreditMemoLines,
  posted.salesCreditMemos,
  customerFinancialDetails,
  agedAccountsReceivables,
  documentAttachments,
  vendors,
  purchases.purchaseOrderLines,
  purchases.purchaseOrders,
  purchases.purchaseInvoiceLines,
  purchases.purchaseInvoices,
  contacts,
  reference.dimensions,
  reference.dimensionValues,
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

/** The routes that the service has: the standard API, its version before, and those of the sets. */
const servedRoutes: readonly string[] = [
  ...new Set([standardRoute, v1Route, ...entitySets.map(({ route = standardRoute }) => route)]),
];

/** Splits a path of area A into its route and the path below it; undefined for a route that the service does not have. */
export function splitRoute(path: string): { readonly route: string; readonly rest: string } | undefined {
  const route = servedRoutes.find((one) => path === `/api/${one}` || path.startsWith(`/api/${one}/`));
  return route === undefined ? undefined : { route, rest: path.slice(`/api/${route}/`.length) };
}
