import type { Dialect } from '../dialect.ts';
import { duplicateKeyError } from '../dialect.ts';
import { createOrderDocument } from '../documents/order-documents.ts';
import { numberField } from '../documents/totals.ts';
import type { EntitySet } from '../entity-set.ts';
import { checkKey, keyFieldsOf, recordId } from '../record-keys.ts';
import { resolveReferences } from '../references.ts';
import { createRows, separateRows } from '../rows.ts';
import type { Company, StoredRecord } from '../store.ts';
import { newRecordGuid, recordsOf } from '../store.ts';
import type { FieldValue, RecordValues } from '../values.ts';
import { blankValues } from './blank-values.ts';
import type { CreateContext } from './client-ids.ts';
import { newRecordId, writableOnCreate } from './client-ids.ts';
import { addCompanions } from './companions.ts';
import { readFieldValues } from './field-values.ts';
import { nextNumber } from './number-series.ts';
import { checkValues } from './value-checks.ts';

type RecordBody = Readonly<Record<string, unknown>>;

/** Creates the record of a POST body, or throws and creates nothing. */
export function createRecord(context: CreateContext, set: EntitySet, body: RecordBody): StoredRecord {
  return set.document
    ? createOrderDocument(context, set, set.document, body)
    : createMasterRecord(context, set, body);
}

/**
 * Creates any other record. A number left out or blank is the next of the series, where the set has one. Every other field
 * left out is unset or has the default of the set (gap: see docs/upstream.md).
 */
function createMasterRecord(context: CreateContext, set: EntitySet, body: RecordBody): StoredRecord {
  const { store, company, dialect } = context;
  const { given: rows, rest } = separateRows(set, dialect.set, body);
  const values = readFieldValues(set, rest, writableOnCreate(context, set));
  const { id: clientId, number = '', ...others } = values;
  const given = number === '' ? others : { ...others, number };
  checkValues(company, dialect, set, given);
  const created: RecordValues = {
    ...blankValues(set),
    ...resolveReferences(set, { ...set.createDefaults?.(others, company), ...given }, company),
    ...(set.key ? newRecordKey(dialect, company, set, given) : { id: newRecordId(context, set, clientId) }),
    ...(set.numberSeries && number === '' && { number: nextNumber(company, set) }),
    lastModifiedDateTime: new Date().toISOString(),
  };
  const complete = { ...created, ...set.derive?.(created) };
  const record = store.add(company, set.name, complete, createRows(company, complete, rows));
  addCompanions(store, company, set, record);
  return record;
}

/** The key of a record with a key of its own: the caller supplies it, but for the fields that are read-only. */
function newRecordKey(dialect: Dialect, company: Company, set: EntitySet, given: RecordValues): RecordValues {
  const assigned = assignKeyFields(company, set);
  const key = { ...given, ...assigned };
  checkKey(set, key);
  const id = recordId(set, key);
  if (recordsOf(company, set.name).has(id)) throw duplicateKeyError(dialect, set, id);
  return { ...assigned, id };
}

/** Read-only fields of the key: a new GUID, or one more than the highest number. */
function assignKeyFields(company: Company, set: EntitySet): RecordValues {
  const assigned = keyFieldsOf(set).flatMap(({ name, kind, isReadOnly }): [string, FieldValue][] => {
    if (!isReadOnly) return [];
    if (kind === 'guid') return [[name, newRecordGuid(company, set.name)]];
    const taken = [...recordsOf(company, set.name).values()].map(({ values }) => numberField(values, name));
    return kind === 'integer' ? [[name, Math.max(0, ...taken) + 1]] : [];
  });
  return Object.fromEntries(assigned);
}
