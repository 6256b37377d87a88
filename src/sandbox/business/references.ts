import { refusedByRule } from '../refusal.ts';
import type { RecordSet, Reference, Value, Values } from './records.ts';
import { unsetGuid } from './records.ts';
import type { Company, StoredRecord } from './store.ts';
import { findRecord, recordsOf } from './store.ts';

/**
 * The changes together with what follows from them through references: a code for each id, an id
 * for each code (A, update rule 1). Refuses a reference to nothing and two that disagree.
 */
export function withReferences(set: RecordSet, changes: Values, company: Company): Record<string, Value> {
  const result: Record<string, Value> = { ...changes };
  for (const reference of set.references) {
    Object.assign(result, resolve(reference, changes, company));
  }
  return result;
}

function resolve(reference: Reference, changes: Values, company: Company): Values {
  const { idField, codeField } = reference;
  const id = changes[idField];
  const code = codeField === undefined ? undefined : changes[codeField];
  if (id === undefined && code === undefined) return {};

  const byId = id === undefined ? undefined : targetById(reference, String(id), company);
  const byCode = code === undefined ? undefined : targetByCode(reference, String(code), company);
  if (id !== undefined && code !== undefined && byId !== byCode) {
    throw refusedByRule(
      `The "${idField}" and the "${codeField}" do not match to the same ${reference.caption}.`,
    );
  }
  return filledFrom(reference, byId ?? byCode, company);
}

function targetById(reference: Reference, id: string, company: Company): StoredRecord | undefined {
  if (id === unsetGuid && !reference.isRequired) return undefined;
  const target = recordsOf(company, reference.target).get(id);
  if (!target) throw noMatch(reference.idField, reference.caption);
  return target;
}

function targetByCode(reference: Reference, code: string, company: Company): StoredRecord | undefined {
  // The local currency has no record: its code and an empty one both mean "unset".
  const isUnset = code === '' || (reference.target === 'currencies' && code === company.localCurrency);
  if (isUnset && !reference.isRequired) return undefined;
  const target = findRecord(company, reference.target, reference.key ?? 'code', code);
  if (!target) throw noMatch(reference.codeField ?? '', reference.caption);
  return target;
}

function filledFrom(reference: Reference, target: StoredRecord | undefined, company: Company): Values {
  const { idField, codeField, key = 'code', copies = {} } = reference;
  const unsetCode = reference.target === 'currencies' ? company.localCurrency : '';
  const filled: Record<string, Value> = { [idField]: target?.values.id ?? unsetGuid };
  if (codeField !== undefined) filled[codeField] = target?.values[key] ?? unsetCode;
  for (const [field, source] of Object.entries(copies)) filled[field] = target?.values[source] ?? '';
  return filled;
}

function noMatch(field: string, caption: string) {
  return refusedByRule(`The "${field}" does not match to a ${caption}.`);
}
