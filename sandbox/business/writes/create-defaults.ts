import type { Company } from '../store.ts';
import { findRecord } from '../store.ts';
import type { FieldValue, RecordValues } from '../values.ts';
import { unsetGuid } from '../values.ts';

/** For an id field: the set it refers to, and the code of the record to use. An empty code leaves it unset. */
type TemplateEntry = readonly [idField: string, target: string, code: string];

/** Ids of the records that a new record refers to where the caller names none, neither by id nor by code. */
export function templateOf(entries: readonly TemplateEntry[]) {
  return (given: RecordValues, company: Company): RecordValues => {
    const values: Record<string, FieldValue> = {};
    for (const [idField, target, code] of entries) {
      if (given[idField] !== undefined || given[idField.replace(/Id$/, 'Code')] !== undefined) continue;
      values[idField] = findRecord(company, target, 'code', code)?.values.id ?? unsetGuid;
    }
    return values;
  };
}
