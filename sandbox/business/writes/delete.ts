import { businessRuleError } from '../../api-error.ts';
import { findReferringDocument } from '../documents/document-references.ts';
import type { EntitySet } from '../entity-set.ts';
import type { Company, Store, StoredRecord } from '../store.ts';
import { removeCompanions } from './companions.ts';

/**
 * Deletes a record, and the lines of an order or quote with it. Throws an `ApiError` and deletes nothing when an
 * order or a quote refers to the record (gap: see docs/upstream.md).
 */
export function deleteRecord(store: Store, company: Company, set: EntitySet, record: StoredRecord): void {
  const document = findReferringDocument(company, set, record);
  if (set.inDocuments && document !== undefined) {
    const { caption, phrase } = set.inDocuments;
    throw businessRuleError(
      `You cannot delete ${caption} ${record.values.number} because there is at least one outstanding ${document} ${phrase}.`,
    );
  }
  store.remove(company, set.name, record);
  removeCompanions(store, company, set, record);
}
