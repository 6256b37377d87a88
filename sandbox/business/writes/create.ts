import { createOrderDocument } from '../documents/order-documents.ts';
import type { EntitySet } from '../entity-set.ts';
import { resolveReferences } from '../references.ts';
import { createRows, separateRows } from '../rows.ts';
import type { StoredRecord } from '../store.ts';
import type { RecordValues } from '../values.ts';
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
    id: newRecordId(context, set, clientId),
    ...(set.numberSeries && number === '' && { number: nextNumber(company, set) }),
    lastModifiedDateTime: new Date().toISOString(),
  };
  const complete = { ...created, ...set.derive?.(created) };
  const record = store.add(company, set.name, complete, createRows(company, complete, rows));
  addCompanions(store, company, set, record);
  return record;
}
