import { refusedByRule } from '../refusal.ts';
import type { Creation } from './chosen-ids.ts';
import { idOfNew, writableOnCreate } from './chosen-ids.ts';
import { readFieldValues } from './field-values.ts';
import { nextNumber } from './number-series.ts';
import type { RecordSet, Value, Values } from './records.ts';
import { blankValues, unsetGuid } from './records.ts';
import { withReferences } from './references.ts';
import { createSalesOrder } from './sales-orders.ts';
import { createSalesQuote } from './sales-quotes.ts';
import type { Company, StoredRecord } from './store.ts';
import { findRecord } from './store.ts';
import { checkValues, fullName } from './value-checks.ts';

type Body = Readonly<Record<string, unknown>>;

/** Creates a record as a POST body asks, or throws and creates nothing. */
export function createRecord(creation: Creation, set: RecordSet, body: Body): StoredRecord {
  if (set.name === 'salesOrders') return createSalesOrder(creation, body);
  if (set.name === 'salesQuotes') return createSalesQuote(creation, body);
  return createMaster(creation, set, body);
}

/**
 * A customer, item or employee: a number left out or blank is the next of the series, every other
 * field is blank or comes from the template (gap: see docs/upstream.md).
 */
function createMaster(creation: Creation, set: RecordSet, body: Body): StoredRecord {
  const { store, company, dialect } = creation;
  if (set.name === 'items' && 'inventory' in body) {
    throw refusedByRule('Inventory cannot be changed during on insert.');
  }
  const read = readFieldValues(set, body, writableOnCreate(creation, set));
  const { id: chosen, number = '', ...given } = read;
  checkValues(company, dialect, set, {
    ...(set.name === 'customers' ? { displayName: '' } : {}),
    ...given,
    ...(number === '' ? {} : { number }),
  });
  const referring = withReferences(set, { ...templateOf(set, given, company), ...given }, company);
  const values: Record<string, Value> = {
    ...blankValues(set),
    ...referring,
    id: idOfNew(creation, set, chosen),
    number: number === '' ? nextNumber(company, set.name) : number,
    lastModifiedDateTime: new Date().toISOString(),
  };
  if (set.name === 'employees') values.displayName = fullName(values);
  return store.add(company, set.name, values);
}

/** The codes of the records that a new one refers to where its caller says nothing; an empty one is none. */
const templates: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  customers: { taxAreaId: 'COAST', currencyId: '', paymentTermsId: '30D', shipmentMethodId: 'EXW' },
  items: {
    baseUnitOfMeasureId: 'PCS',
    generalProductPostingGroupId: 'RETAIL',
    inventoryPostingGroupId: 'RESALE',
  },
};

function templateOf(set: RecordSet, given: Values, company: Company): Record<string, Value> {
  const template = templates[set.name] ?? {};
  const values: Record<string, Value> = {};
  for (const { idField, codeField = idField, target } of set.references) {
    const code = template[idField];
    if (code === undefined || given[idField] !== undefined || given[codeField] !== undefined) continue;
    // What is not kept in stock is not posted as stock.
    if (target === 'inventoryPostingGroups' && (given.type ?? 'Inventory') !== 'Inventory') continue;
    values[idField] = findRecord(company, target, 'code', code)?.values.id ?? unsetGuid;
  }
  return values;
}
