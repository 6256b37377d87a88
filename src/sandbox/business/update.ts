import type { Dialect } from './dialect.ts';
import { readFieldValues } from './field-values.ts';
import type { RecordSet, Value, Values } from './records.ts';
import { withReferences } from './references.ts';
import { changedOrder } from './sales-orders.ts';
import type { Company, Store, StoredRecord } from './store.ts';
import { recordsOf } from './store.ts';
import { checkValues, fullName } from './value-checks.ts';

/**
 * Changes a record as a PATCH body asks, or throws and changes nothing. Fields left out keep
 * their values or follow from the ones that change (A, update rule 1).
 */
export function updateRecord(
  store: Store,
  company: Company,
  dialect: Dialect,
  set: RecordSet,
  record: StoredRecord,
  body: Readonly<Record<string, unknown>>,
): void {
  const changes = readFieldValues(set, body);
  if (set.name === 'salesOrders') {
    const changed = changedOrder(company, record, changes);
    store.change(record, changed.order, changed.lines);
    return;
  }
  checkValues(company, dialect, set, changes, record);
  const { number } = record.values;
  const values = { ...record.values, ...withReferences(set, changes, company) };
  store.change(record, set.name === 'employees' ? { ...values, displayName: fullName(values) } : values);
  if (values.number !== number) renumberDocuments(store, company, set, values);
}

/** A new number of a customer or item shows in the orders and quotes that name it. */
function renumberDocuments(store: Store, company: Company, set: RecordSet, renamed: Values): void {
  const documents = ['salesOrders', 'salesQuotes'].flatMap((name) => [...recordsOf(company, name).values()]);
  for (const document of documents) {
    const values =
      set.name === 'customers' ? renumbered(document.values, renamed, customerPairs) : document.values;
    const lines = document.lines.map((line) =>
      set.name === 'items' ? renumbered(line.values, renamed, itemPairs) : line.values,
    );
    const isTouched =
      values !== document.values || lines.some((line, index) => line !== document.lines[index]?.values);
    if (isTouched) store.change(document, values, lines);
  }
}

/** The fields that hold the number of the record a GUID field names. */
const customerPairs = { customerId: ['customerNumber'], billToCustomerId: ['billToCustomerNumber'] };
const itemPairs = { itemId: ['itemNo', 'lineObjectNumber'] };

/** The same object when nothing in it names the renamed record. */
function renumbered(
  values: Values,
  renamed: Values,
  pairs: Readonly<Record<string, readonly string[]>>,
): Values {
  const { id, number } = renamed;
  const fields = Object.entries(pairs).flatMap(([idField, names]) => (values[idField] === id ? names : []));
  if (number === undefined || fields.length === 0) return values;
  return { ...values, ...Object.fromEntries(fields.map((name): [string, Value] => [name, number])) };
}
