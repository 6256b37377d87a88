import { blankValues } from './blank-values.ts';
import type { CreateContext } from './client-ids.ts';
import { newRecordId, writableOnCreate } from './client-ids.ts';
import { addCompanions } from './companions.ts';
import type { Dialect } from './dialect.ts';
import { duplicateKeyError } from './dialect.ts';
import type { EntitySet } from './entity-set.ts';
import { readFieldValues } from './field-values.ts';
import { nextNumber } from './number-series.ts';
import { createOrderDocument } from './order-documents.ts';
import { checkKey, recordId } from './record-keys.ts';
import { resolveReferences } from './references.ts';
import type { Company, StoredRecord } from './store.ts';
import { recordsOf } from './store.ts';
import { checkValues } from './value-checks.ts';
import type { RecordValues } from './values.ts';

type RecordBody = Readonly<Record<string, unknown>>;

/** Creates the record of a POST body, or throws and creates nothing. */
export function createRecord(context: CreateContext, set: EntitySet, body: RecordBody): StoredRecord {
  return set.document
    ? createOrderDocument(context, set, set.document, body)
    : createMasterRecord(context, set, body);
}

/**
 * Creates any other record. A number left out or blank is the next of the series. Every other field
 * left out is unset or has the default of the set (gap: see docs/upstream.md).
 */
function createMasterRecord(context: CreateContext, set: EntitySet, body: RecordBody): StoredRecord {
  const { store, company, dialect } = context;
  const values = readFieldValues(set, body, writableOnCreate(context, set));
  const { id: clientId, number = '', ...given } = values;
  checkValues(company, dialect, set, number === '' ? given : { ...given, number });
  const created: RecordValues = {
    ...blankValues(set),
    ...resolveReferences(set, { ...set.createDefaults?.(given, company), ...given }, company),
    id: set.key ? newRecordKey(dialect, company, set, given) : newRecordId(context, set, clientId),
    ...(set.numberSeries && { number: number === '' ? nextNumber(company, set) : number }),
    lastModifiedDateTime: new Date().toISOString(),
  };
  const record = store.add(company, set.name, { ...created, ...set.derive?.(created) });
  addCompanions(store, company, set, record);
  return record;
}

/** The id of a record with a key of its own, which the caller supplies. */
function newRecordKey(dialect: Dialect, company: Company, set: EntitySet, given: RecordValues): string {
  checkKey(set, given);
  const id = recordId(set, given);
  if (recordsOf(company, set.name).has(id)) throw duplicateKeyError(dialect, set, id);
  return id;
}
