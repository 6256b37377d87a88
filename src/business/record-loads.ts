import type { Business } from './business.ts';
import type { RecordKey } from './record-set.ts';
import type { RecordTypeDescriptor } from './record-type.ts';

/** Loads one record of a type, with everything that the selection needs. */
export function loadRecord(
  recordType: RecordTypeDescriptor,
  business: Business,
  companyId: string,
  key: RecordKey,
): Promise<object | null> {
  if (recordType.load) return recordType.load(business, companyId, key);
  return 'id' in key
    ? business.load(recordType, companyId, key.id)
    : business.loadByNumber(recordType, companyId, key.number);
}
