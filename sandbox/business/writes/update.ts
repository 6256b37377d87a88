import type { Dialect } from '../dialect.ts';
import { updateNumberInDocuments } from '../documents/document-references.ts';
import { updatedDocument } from '../documents/order-documents.ts';
import type { EntitySet } from '../entity-set.ts';
import { resolveReferences } from '../references.ts';
import type { Company, Store, StoredRecord } from '../store.ts';
import { changeCompanions } from './companions.ts';
import { readFieldValues } from './field-values.ts';
import { checkValues } from './value-checks.ts';

/**
 * Changes a record by a PATCH body, or throws and changes nothing. Fields left out keep their values, or follow
 * from the fields that change (A, update rule 1).
 */
export function updateRecord(
  store: Store,
  company: Company,
  dialect: Dialect,
  set: EntitySet,
  record: StoredRecord,
  body: Readonly<Record<string, unknown>>,
): void {
  const changes = readFieldValues(set, body);
  if (set.document) {
    const { order, lines } = updatedDocument(company, set, record, changes);
    store.change(record, order, lines);
    return;
  }
  checkValues(company, dialect, set, changes, record);
  const values = { ...record.values, ...resolveReferences(set, changes, company) };
  const { number } = record.values;
  store.change(record, { ...values, ...set.derive?.(values) });
  if (values.number !== number) updateNumberInDocuments(store, company, set, values);
  changeCompanions(store, company, set, record);
}
