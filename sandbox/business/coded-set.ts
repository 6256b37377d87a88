import { derivedGuid } from '../seeded.ts';
import type { EntitySet, SetField, SetSeed } from './entity-set.ts';
import { codeField, dateTimeField, entitySet, guidField, readOnly, textField } from './entity-set.ts';
import type { Company } from './store.ts';
import { idOf } from './store.ts';
import type { RecordValues } from './values.ts';

type CodedRow = readonly [code: string, displayName: string, more?: RecordValues];

interface CodedSetOptions extends Partial<Pick<EntitySet, 'hasAddress' | 'isSubscribable'>> {
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

/** The same rows for every company. Ids are derived from the key field. */
export function seedRows(
  keyField: string,
  rows: readonly RecordValues[],
  isPresent: (row: RecordValues, company: Company) => boolean = () => true,
): SetSeed {
  return {
    counts: [rows.length, rows.length],
    record({ set, company }, index) {
      const row = rows[index];
      if (!row || !isPresent(row, company)) return undefined;
      const id = derivedGuid(`${idOf(company.record)}:${set.name}:${row[keyField]}`);
      return { values: { ...row, id, lastModifiedDateTime } };
    },
  };
}
