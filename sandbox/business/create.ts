import type { CreateContext } from './client-ids.ts';
import { newRecordId, writableOnCreate } from './client-ids.ts';
import type { EntitySet } from './entity-set.ts';
import { blankValues } from './entity-set.ts';
import { readFieldValues } from './field-values.ts';
import { nextNumber } from './number-series.ts';
import { resolveReferences } from './references.ts';
import { createSalesDocument } from './sales-documents.ts';
import type { StoredRecord } from './store.ts';
import { checkValues } from './value-checks.ts';
import type { RecordValues } from './values.ts';

type RecordBody = Readonly<Record<string, unknown>>;

/** Creates the record of a POST body, or throws and creates nothing. */
export function createRecord(context: CreateContext, set: EntitySet, body: RecordBody): StoredRecord {
  return set.document
    ? createSalesDocument(context, set, set.document, body)
    : createMasterRecord(context, set, body);
}

/**
 * Creates a customer, item or employee. A number left out or blank is the next of the series. Every other field
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
    id: newRecordId(context, set, clientId),
    number: number === '' ? nextNumber(company, set) : number,
    lastModifiedDateTime: new Date().toISOString(),
  };
  return store.add(company, set.name, { ...created, ...set.derive?.(created) });
}
