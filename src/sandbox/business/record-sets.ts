import { salesOrderLines, salesOrders } from './order-sets.ts';
import { salesQuoteLines, salesQuotes } from './quote-sets.ts';
import type { RecordSet } from './records.ts';
import {
  boolean,
  choice,
  code,
  computed,
  date,
  dateTime,
  decimal,
  guid,
  notBlocked,
  readOnly,
  recordSet,
  text,
} from './records.ts';
import { byCode, currency, paymentTerms, shipmentMethod } from './reference-fields.ts';
import * as reference from './reference-sets.ts';

/** A1, and the three fields the real service adds to it. */
export const customers: RecordSet = recordSet(
  'customers',
  'customer',
  [
    guid('id', readOnly),
    code('number', 20),
    text('displayName', 100),
    choice('type', ['Company', 'Person']),
    text('addressLine1', 100),
    text('addressLine2', 50),
    text('city', 30),
    text('state', 30),
    code('country', 10),
    code('postalCode', 20),
    text('phoneNumber', 30),
    text('email', 80),
    text('website', 255),
    code('salespersonCode', 20),
    decimal('balanceDue', readOnly),
    decimal('creditLimit'),
    boolean('taxLiable'),
    guid('taxAreaId'),
    text('taxAreaDisplayName', 100, { ...readOnly, ...computed }),
    text('taxRegistrationNumber', 50, computed),
    guid('currencyId'),
    code('currencyCode', 10, computed),
    guid('paymentTermsId'),
    guid('shipmentMethodId'),
    guid('paymentMethodId'),
    choice('blocked', [notBlocked, 'Ship', 'Invoice', 'All']),
    dateTime('lastModifiedDateTime'),
  ],
  {
    navigations: [
      { name: 'currency', target: 'currencies', from: 'currencyId' },
      { name: 'paymentTerm', target: 'paymentTerms', from: 'paymentTermsId' },
      { name: 'shipmentMethod', target: 'shipmentMethods', from: 'shipmentMethodId' },
      { name: 'paymentMethod', target: 'paymentMethods', from: 'paymentMethodId' },
    ],
    references: [
      currency,
      paymentTerms,
      shipmentMethod,
      { idField: 'paymentMethodId', target: 'paymentMethods', caption: 'Payment Method' },
      {
        idField: 'taxAreaId',
        target: 'taxAreas',
        copies: { taxAreaDisplayName: 'displayName' },
        caption: 'Tax Area',
      },
    ],
    writes: ['POST', 'PATCH', 'DELETE'],
  },
);

/** A2, and the fields the real service adds to it. */
export const items: RecordSet = recordSet(
  'items',
  'item',
  [
    guid('id', readOnly),
    code('number', 20),
    text('displayName', 100),
    text('displayName2', 50),
    choice('type', ['Inventory', 'Service', 'Non-Inventory']),
    guid('itemCategoryId'),
    code('itemCategoryCode', 20),
    boolean('blocked'),
    code('gtin', 14),
    decimal('inventory', computed),
    decimal('unitPrice'),
    boolean('priceIncludesTax'),
    decimal('unitCost'),
    guid('taxGroupId'),
    code('taxGroupCode', 20),
    guid('baseUnitOfMeasureId'),
    code('baseUnitOfMeasureCode', 10),
    guid('generalProductPostingGroupId'),
    code('generalProductPostingGroupCode', 20),
    guid('inventoryPostingGroupId'),
    code('inventoryPostingGroupCode', 20),
    dateTime('lastModifiedDateTime'),
  ],
  {
    navigations: [
      { name: 'itemCategory', target: 'itemCategories', from: 'itemCategoryId' },
      { name: 'unitOfMeasure', target: 'unitsOfMeasure', from: 'baseUnitOfMeasureId' },
      {
        name: 'generalProductPostingGroup',
        target: 'generalProductPostingGroups',
        from: 'generalProductPostingGroupId',
      },
      {
        name: 'inventoryPostingGroup',
        target: 'inventoryPostingGroups',
        from: 'inventoryPostingGroupId',
      },
    ],
    references: [
      byCode('itemCategory', 'itemCategories', 'Item Category'),
      byCode('taxGroup', 'taxGroups', 'Tax Group'),
      byCode('baseUnitOfMeasure', 'unitsOfMeasure', 'Unit of Measure'),
      byCode('generalProductPostingGroup', 'generalProductPostingGroups', 'General Product Posting Group'),
      byCode('inventoryPostingGroup', 'inventoryPostingGroups', 'Inventory Posting Group'),
    ],
    writes: ['POST', 'PATCH', 'DELETE'],
  },
);

/** A5 and the bank fields of the real service. `displayName` is made of the names, so it cannot be written. */
export const employees: RecordSet = recordSet(
  'employees',
  'employee',
  [
    guid('id', readOnly),
    code('number', 20),
    text('displayName', 100, { ...readOnly, ...computed }),
    text('givenName', 30),
    text('middleName', 30),
    text('surname', 30),
    text('jobTitle', 30),
    text('addressLine1', 100),
    text('addressLine2', 50),
    text('city', 30),
    text('state', 30),
    code('country', 10),
    code('postalCode', 20),
    text('phoneNumber', 30),
    text('mobilePhone', 30),
    text('email', 80),
    text('personalEmail', 80),
    date('employmentDate'),
    date('terminationDate'),
    choice('status', ['Active', 'Inactive', 'Terminated']),
    date('birthDate'),
    code('statisticsGroupCode', 10),
    text('bankBranchNumber', 20),
    text('bankAccountNumber', 30),
    text('iban', 50),
    dateTime('lastModifiedDateTime'),
  ],
  { writes: ['POST', 'PATCH', 'DELETE'] },
);

/** Every record set as the document has it. */
export const recordSets: readonly RecordSet[] = [
  customers,
  items,
  salesOrders,
  salesOrderLines,
  salesQuotes,
  salesQuoteLines,
  employees,
  ...Object.values(reference),
];

/** The record set of a name the code itself uses; an unknown one is a mistake in the sandbox. */
export function setNamed(name: string): RecordSet {
  const set = recordSets.find((one) => one.name === name);
  if (!set) throw new TypeError(`expected a record set, got '${name}'`);
  return set;
}
