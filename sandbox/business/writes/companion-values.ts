import type { EntitySet } from '../entity-set.ts';
import type { StoredRecord } from '../store.ts';
import { idOf } from '../store.ts';
import type { RecordValues } from '../values.ts';

/** The values of a companion that follow from its record. */
export function companionValues({ companionOf }: EntitySet, record: StoredRecord): RecordValues {
  return { id: idOf(record), ...companionOf?.values(record.values) };
}
