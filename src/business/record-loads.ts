import type { Business } from './business.ts';
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
  if (recordType.load) return recordType.load(business, companyId, key);
  return 'id' in key
    ? business.load(recordType, companyId, key.id)
    : business.loadByNumber(recordType, companyId, key.number);
}
