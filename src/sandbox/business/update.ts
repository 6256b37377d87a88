import { Refusal, refusedByRule } from '../refusal.ts';
import { readFieldValues } from './field-values.ts';
import type { RecordSet, Value, Values } from './records.ts';
import { withReferences } from './references.ts';
import { changedOrder } from './sales-orders.ts';
import type { Company, Store, StoredRecord } from './store.ts';
import { findRecord, recordsOf } from './store.ts';

/**
 * Changes a record as a PATCH body asks, or throws and changes nothing. Fields left out keep
 * their values or follow from the ones that change (A, update rule 1).
 */
export function updateRecord(
  store: Store,
  company: Company,
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
  checkValues(company, set, record, changes);
  const values = { ...record.values, ...withReferences(set, changes, company) };
  store.change(record, set.name === 'employees' ? { ...values, displayName: fullName(values) } : values);
  if (changes.number !== undefined) renumberDocuments(store, company, set, values);
}

/** The name an employee goes by, without the middle name. */
export function fullName(employee: Values): string {
  return [employee.givenName, employee.surname].filter((name) => name !== '').join(' ');
}

function checkValues(company: Company, set: RecordSet, record: StoredRecord, changes: Values): void {
  const { displayName, email, number } = changes;
  const isCustomer = set.name === 'customers';
  if (displayName === '' && isCustomer) throw refusedByRule('A "displayName" must be provided.');
  if (number === '') throw refusedByRule('A "number" must be provided.');
  if (isCustomer && typeof email === 'string' && email !== '' && !/^[^@\s]+@[^@\s]+$/.test(email)) {
    throw refusedByRule(`The email address "${email}" is not valid.`);
  }
  const holder = number === undefined ? undefined : findRecord(company, set.name, 'number', number);
  if (holder && holder !== record) {
    throw new Refusal(
      409,
      'Internal_EntityWithSameKeyExists',
      `The record in table ${set.typeName} already exists. Identification fields and values: No.='${number}'`,
    );
  }
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
