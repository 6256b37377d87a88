import { invalidRelation, refusedByRule } from '../refusal.ts';
import { isCountry } from './countries.ts';
import type { Dialect } from './dialect.ts';
import { duplicateKey } from './dialect.ts';
import type { RecordSet, Values } from './records.ts';
import type { Company, StoredRecord } from './store.ts';
import { findRecord } from './store.ts';

/**
 * Refuses values that are well-formed but that the business rules do not allow: names and numbers
 * that are blank, numbers that another record than `own` has, email addresses and countries that are
 * none.
 */
export function checkValues(
  company: Company,
  dialect: Dialect,
  set: RecordSet,
  changes: Values,
  own?: StoredRecord,
): void {
  const { country = '', displayName, email, number } = changes;
  const isCustomer = set.name === 'customers';
  if (displayName === '' && isCustomer) throw refusedByRule('A "displayName" must be provided.');
  if (number === '') throw refusedByRule('A "number" must be provided.');
  if (isCustomer && typeof email === 'string' && email !== '' && !/^[^@\s]+@[^@\s]+$/.test(email)) {
    throw refusedByRule(`The email address "${email}" is not valid.`);
  }
  if (isCustomer && country !== '' && !isCountry(String(country))) {
    throw invalidRelation('Country/Region Code', 'Customer', String(country), 'Country/Region');
  }
  const holder = number === undefined ? undefined : findRecord(company, set.name, 'number', number);
  if (holder && holder !== own) throw duplicateKey(dialect, set, `No.='${number}'`);
}

/** The name an employee goes by, without the middle name. */
export function fullName(employee: Values): string {
  return [employee.givenName, employee.surname].filter((name) => name !== '').join(' ');
}
