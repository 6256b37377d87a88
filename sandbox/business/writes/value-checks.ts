import { businessRuleError } from '../../api-error.ts';
import type { Dialect } from '../dialect.ts';
import { duplicateKeyError } from '../dialect.ts';
import type { EntitySet } from '../entity-set.ts';
import type { Company, StoredRecord } from '../store.ts';
import { findRecord } from '../store.ts';
import type { RecordValues } from '../values.ts';

/**
 * Throws an `ApiError` for well-formed values that the business rules reject: a blank number, a number that
 * another record has, or what the set itself rejects. `own` is the record that is updated.
 */
export function checkValues(
  company: Company,
  dialect: Dialect,
  set: EntitySet,
  values: RecordValues,
  own?: StoredRecord,
): void {
  const { number } = values;
  set.validate?.(values, own === undefined, company);
  if (number === '') throw businessRuleError('A "number" must be provided.');
  if (number === undefined) return;
  const holder = findRecord(company, set.name, 'number', number);
  if (holder && holder !== own) throw duplicateKeyError(dialect, set, `No.='${number}'`);
}
