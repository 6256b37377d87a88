import { derivedGuid } from '../seeded.ts';
import {
  type EntitySet,
  entitySet,
  fieldsOf,
  type RecordValues,
  type SetField,
  type SetSeed,
} from './entity-set.ts';
import { type Company, idOf } from './store.ts';

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
      ...fieldsOf('id guid readonly, code code 20, displayName text 100'),
      ...fields,
      ...fieldsOf('lastModifiedDateTime dateTime'),
    ],
    { ...rest, seed: seedRows('code', values, isPresent) },
  );
}

/** The same records for every company, or for those where `isPresent`. Ids are derived from the key field. */
export function seedRows(
  keyField: string,
  records: readonly RecordValues[],
  isPresent: CodedSetOptions['isPresent'] = () => true,
): SetSeed {
  return {
    counts: [records.length, records.length],
    record({ set, company }, index) {
      const record = records[index];
      if (!record || !isPresent(record, company)) return undefined;
      const id = derivedGuid(`${idOf(company.record)}:${set.name}:${record[keyField]}`);
      return { values: { ...record, lastModifiedDateTime, id } };
    },
  };
}
