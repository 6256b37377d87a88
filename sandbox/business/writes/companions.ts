import type { EntitySet } from '../entity-set.ts';
import { entitySets } from '../entity-sets.ts';
import type { Company, Store, StoredRecord } from '../store.ts';
import { idOf, recordsOf } from '../store.ts';
import { blankValues } from './blank-values.ts';
import { companionValues } from './companion-values.ts';

/** The sets with a record for each record of a set. */
const companionsOf = ({ name }: EntitySet) =>
  entitySets.filter(({ companionOf }) => companionOf?.set === name);

/** Adds the companions of a new record. */
export function addCompanions(store: Store, company: Company, set: EntitySet, record: StoredRecord): void {
  for (const companion of companionsOf(set)) {
    const lastModifiedDateTime = record.values.lastModifiedDateTime ?? '';
    const values = { ...blankValues(companion), ...companionValues(companion, record), lastModifiedDateTime };
    store.add(company, companion.name, values);
  }
}

/** Changes the companions of a record where what follows from it has changed. */
export function changeCompanions(store: Store, company: Company, set: EntitySet, record: StoredRecord): void {
  for (const companion of companionsOf(set)) {
    const held = recordsOf(company, companion.name).get(idOf(record));
    const values = companionValues(companion, record);
    if (held && Object.entries(values).some(([name, value]) => held.values[name] !== value))
      store.change(held, { ...held.values, ...values });
  }
}

export function removeCompanions(store: Store, company: Company, set: EntitySet, record: StoredRecord): void {
  for (const companion of companionsOf(set)) {
    const held = recordsOf(company, companion.name).get(idOf(record));
    if (held) store.remove(company, companion.name, held);
  }
}
