import { Refusal, refusedByRule } from '../refusal.ts';
import { readFieldValues } from './field-values.ts';
import { salesOrders } from './order-sets.ts';
import { customers, employees, items } from './record-sets.ts';
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
  if (set === salesOrders) {
    const changed = changedOrder(company, record, changes);
    store.change(record, changed.order, changed.lines);
    return;
  }
  checkValues(company, set, record, changes);
  const values = { ...record.values, ...withReferences(set, changes, company) };
  store.change(record, set === employees ? { ...values, displayName: fullName(values) } : values);
  if (changes.number !== undefined) renumberOrders(store, company, set, values);
}

/** The name an employee goes by, without the middle name. */
export function fullName(employee: Values): string {
  return [employee.givenName, employee.surname].filter((name) => name !== '').join(' ');
}

function checkValues(company: Company, set: RecordSet, record: StoredRecord, changes: Values): void {
  const { displayName, email, number } = changes;
  if (displayName === '' && set === customers) throw refusedByRule('A "displayName" must be provided.');
  if (number === '') throw refusedByRule('A "number" must be provided.');
  if (set === customers && typeof email === 'string' && email !== '' && !/^[^@\s]+@[^@\s]+$/.test(email)) {
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

/** A new number of a customer or item shows in the orders that name it. */
function renumberOrders(store: Store, company: Company, set: RecordSet, renamed: Values): void {
  for (const order of recordsOf(company, salesOrders.name).values()) {
    const values = set === customers ? renumbered(order.values, renamed, customerPairs) : order.values;
    const lines = order.lines.map((line) =>
      set === items ? renumbered(line.values, renamed, itemPairs) : line.values,
    );
    const isTouched =
      values !== order.values || lines.some((line, index) => line !== order.lines[index]?.values);
    if (isTouched) store.change(order, values, lines);
  }
}

const customerPairs = { customerId: 'customerNumber', billToCustomerId: 'billToCustomerNumber' };
const itemPairs = { itemId: 'itemNo' };

/** The same object when nothing in it names the renamed record. */
function renumbered(values: Values, renamed: Values, pairs: Readonly<Record<string, string>>): Values {
  const changed: [string, Value][] = [];
  for (const [idField, numberField] of Object.entries(pairs)) {
    const number = renamed.number;
    if (values[idField] === renamed.id && number !== undefined) changed.push([numberField, number]);
  }
  return changed.length === 0 ? values : { ...values, ...Object.fromEntries(changed) };
}
