import type { Business } from './business.ts';
import { loadFromSources } from './reading/source-reads.ts';
import { requireId } from './record-key.ts';
import type { RecordKey } from './record-set.ts';
import type { RecordTypeDescriptor } from './record-type.ts';

/** Loads one record of a type, with everything that the selection needs. Throws `InputError` for an `id` of a caller that is none. */
export function loadRecord(
  recordType: RecordTypeDescriptor,
  business: Business,
  companyId: string,
  key: RecordKey,
): Promise<object | null> {
  if ('id' in key) requireId(recordType, key.id);
  const loadOwn = () => loadOwnRecord(recordType, business, companyId, key);
  return recordType.sources && 'id' in key
    ? (loadFromSources(business, recordType, companyId, key.id, loadOwn) as Promise<object | null>)
    : loadOwn();
}

/** Loads what the type's own set has of a record. */
export function loadOwnRecord(
  recordType: RecordTypeDescriptor,
  business: Business,
  companyId: string,
  key: RecordKey,
  args?: Readonly<Record<string, unknown>>,
): Promise<object | null> {
  if (recordType.load) return recordType.load(business, companyId, key, args);
  return 'id' in key
    ? business.load(recordType, companyId, key.id)
    : business.loadByNumber(recordType, companyId, key.number);
}
