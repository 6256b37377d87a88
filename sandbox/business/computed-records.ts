import type { EntitySet } from './entity-set.ts';
import type { Company, StoredRecord } from './store.ts';
import { recordsOf } from './store.ts';

/** The records of a set: stored, or computed for this read. */
export function readRecords(company: Company, set: EntitySet): Iterable<StoredRecord> {
  const { computation } = set;
  if (!computation) return recordsOf(company, set.name).values();
  return [...recordsOf(company, computation.from).values()].map((source) => compute(company, set, source));
}

/** The same for one record. */
export function readRecord(company: Company, set: EntitySet, id: string): StoredRecord | undefined {
  const source = recordsOf(company, set.computation?.from ?? set.name).get(id);
  return source && compute(company, set, source);
}

function compute(company: Company, { computation }: EntitySet, source: StoredRecord): StoredRecord {
  return computation ? { ...source, values: computation.values(company, source.values) } : source;
}
