import { seededRecords } from '../seed/values.ts';
import { derivedGuid, elementAt } from '../seeded.ts';
import type { EntitySet, SetField, SetSeed } from './entity-set.ts';
import { codeField, dateTimeField, entitySet, guidField, readOnly, textField } from './entity-set.ts';
import type { Company } from './store.ts';
import { idOf } from './store.ts';
import type { RecordValues } from './values.ts';

type CodedRow = readonly [code: string, displayName: string, more?: RecordValues];

interface CodedSetOptions extends Partial<Pick<EntitySet, 'hasAddress' | 'isSubscribable' | 'navigations'>> {
  /** Fields besides id, code and name. */
  readonly fields?: readonly SetField[];
  /** Whether a company has a record; true for all when left out. */
  readonly isPresent?: (row: RecordValues, company: Company) => boolean;
}

/** When the seeded records of read-only sets were last changed. */
const lastModifiedDateTime = '2024-11-04T08:00:00.000Z';

/**
 * A read-only set of records with a code and a name that other records refer to. The document reaches some of
 * them by `$expand` and gives no address for any. The addresses are those of the real service (gap: see
 * docs/upstream.md).
 */
export function codedSet(
  name: string,
  typeName: string,
  rows: readonly CodedRow[],
  { fields = [], isPresent, ...rest }: CodedSetOptions = {},
): EntitySet {
  const values = rows.map(([code, displayName, more]) => ({ code, displayName, ...more }));
  return entitySet(
    name,
    typeName,
    [
      guidField('id', readOnly),
      codeField('code', 20),
      textField('displayName', 100),
      ...fields,
      dateTimeField('lastModifiedDateTime'),
    ],
    { ...rest, seed: seedRows('code', values, isPresent) },
  );
}

/**
 * The same rows for every company. Ids are derived from the key field, or from the place of a row without it. `references`
 * names, by field, the set that the field refers to by id: one of its records each, where the company has any.
 */
export function seedRows(
  keyField: string,
  rows: readonly RecordValues[],
  isPresent: (row: RecordValues, company: Company) => boolean = () => true,
  references: Readonly<Record<string, string>> = {},
): SetSeed {
  return {
    counts: [rows.length, rows.length],
    record({ set, company }, index) {
      const row = rows[index];
      if (!row || !isPresent(row, company)) return undefined;
      const id = derivedGuid(`${idOf(company.record)}:${set.name}:${row[keyField] ?? index}`);
      const ids = referencedIds(references, company, index);
      return { values: { ...row, ...ids, id, lastModifiedDateTime } };
    },
  };
}

function referencedIds(references: Readonly<Record<string, string>>, company: Company, index: number) {
  const ids = Object.entries(references).flatMap(([field, target]): [string, string][] => {
    const records = seededRecords(company, target);
    return records.length === 0 ? [] : [[field, idOf(elementAt(records, index))]];
  });
  return Object.fromEntries(ids);
}
