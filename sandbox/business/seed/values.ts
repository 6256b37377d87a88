import { derivedGuid, elementAt, type Random } from '../../seeded.ts';
import type { Company, RecordValues, StoredRecord } from '../entity-set.ts';
import { idOf, recordsOf } from '../store.ts';
import { places, streets } from './words.ts';

const listed = new WeakMap<ReadonlyMap<string, StoredRecord>, StoredRecord[]>();

/**
 * The records of a completely seeded set as a list. Cached, because seeding uses it for every line of every
 * order.
 */
export function seededRecords(company: Company, set: string): readonly StoredRecord[] {
  const records = recordsOf(company, set);
  const known = listed.get(records) ?? [...records.values()];
  listed.set(records, known);
  return known;
}

/** The id of the n-th seeded record of a set. */
export const seededId = (company: Company, set: string, index: number): string =>
  derivedGuid(`${idOf(company.record)}:${set}:${index}`);

/** A time in 2025 for the n-th record of a set. Every fifth record has the time of its predecessor. */
export function seededTime(index: number): string {
  const step = index % 5 === 4 ? index - 1 : index;
  return new Date(Date.UTC(2025, 0, 6, 7, 30) + step * 5_431_777).toISOString();
}

/** A day in the given years. */
export function dateIn(random: Random, firstYear: number, lastYear: number): string {
  const month = String(random.between(1, 12)).padStart(2, '0');
  const day = String(random.between(1, 28)).padStart(2, '0');
  return `${random.between(firstYear, lastYear)}-${month}-${day}`;
}

export function addressLines(index: number, random: Random): RecordValues {
  const [city, state, country, postalPrefix] = elementAt(places, index * 3 + 1);
  return {
    addressLine1: `${random.between(1, 240)} ${random.pick(streets)}`,
    addressLine2: random.oneIn(4) ? `Unit ${random.between(1, 30)}` : '',
    city,
    state,
    country,
    postalCode: `${postalPrefix}${random.between(10, 99)}`,
  };
}
