import { businessRuleError } from '../api-error.ts';
import {
  type Company,
  type EntitySet,
  type FieldValue,
  type RecordReference,
  type RecordValues,
  type StoredRecord,
  unsetGuid,
} from './entity-set.ts';
import { findRecord, recordsOf } from './store.ts';

/**
 * Adds the values that follow from references: the code for each id and the id for each code (A, update rule
 * 1). Throws an `ApiError` when a target does not exist, or an id and a code refer to different ones.
 */
export function resolveReferences(
  set: EntitySet,
  changes: RecordValues,
  company: Company,
): Record<string, FieldValue> {
  const result: Record<string, FieldValue> = { ...changes };
  for (const reference of set.references) {
    Object.assign(result, resolveReference(reference, changes, company));
  }
  return result;
}

function resolveReference(reference: RecordReference, changes: RecordValues, company: Company): RecordValues {
  const { idField, codeField } = reference;
  const id = changes[idField];
  const code = codeField === undefined ? undefined : changes[codeField];
  if (id === undefined && code === undefined) return {};

  const byId = id === undefined ? undefined : findTargetById(reference, String(id), company);
  const byCode = code === undefined ? undefined : findTargetByCode(reference, String(code), company);
  if (id !== undefined && code !== undefined && byId !== byCode) {
    throw businessRuleError(
      `The "${idField}" and the "${codeField}" do not match to the same ${reference.caption}.`,
    );
  }
  return referenceValues(reference, byId ?? byCode, company);
}

function findTargetById(reference: RecordReference, id: string, company: Company): StoredRecord | undefined {
  if (id === unsetGuid && !reference.isRequired) return undefined;
  const target = recordsOf(company, reference.target).get(id);
  if (!target) throw noMatchError(reference.idField, reference.caption);
  return target;
}

function findTargetByCode(
  reference: RecordReference,
  code: string,
  company: Company,
): StoredRecord | undefined {
  // The local currency has no record. Its code and an empty code both mean "unset".
  const isUnset = code === '' || (reference.target === 'currencies' && code === company.localCurrency);
  if (isUnset && !reference.isRequired) return undefined;
  const target = findRecord(company, reference.target, reference.key ?? 'code', code);
  if (!target) throw noMatchError(reference.codeField ?? '', reference.caption);
  return target;
}

function referenceValues(
  reference: RecordReference,
  target: StoredRecord | undefined,
  company: Company,
): RecordValues {
  const { idField, codeField, key = 'code', copies = {} } = reference;
  const unsetCode = reference.target === 'currencies' ? company.localCurrency : '';
  const filled: Record<string, FieldValue> = { [idField]: target?.values.id ?? unsetGuid };
  if (codeField !== undefined) filled[codeField] = target?.values[key] ?? unsetCode;
  for (const [field, source] of Object.entries(copies)) filled[field] = target?.values[source] ?? '';
  return filled;
}

function noMatchError(field: string, caption: string) {
  return businessRuleError(`The "${field}" does not match to a ${caption}.`);
}

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
