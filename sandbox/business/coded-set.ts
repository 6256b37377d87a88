import { seededRecords } from '../seed/values.ts';
import { derivedGuid, elementAt } from '../seeded.ts';
import type { EntitySet, FieldValue, RecordValues, SetField, SetSeed } from './entity-set.ts';
import { entitySet, fieldsOf } from './entity-set.ts';
import { toRow } from './rows.ts';
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
    { ...rest, seed: seedRows('code', values, { ...(isPresent && { isPresent }) }) },
  );
}

interface SeedOptions {
  /** Whether a company has a record; true for all when left out. */
  readonly isPresent?: (row: RecordValues, company: Company) => boolean;
  /** By field, the set that it refers to: one of its records each, where the company has any. */
  readonly references?: References;
  /** The rows of each record by their navigation: one of them for the first record, two for the second, and so on. */
  readonly rows?: Readonly<Record<string, SeededRows>>;
}

type References = Readonly<Record<string, string>>;

interface SeededRows {
  readonly set: EntitySet;
  readonly values: readonly RecordValues[];
  readonly references?: References;
}

/**
 * The same records for every company. Ids are derived from the key field, or from the place of a record without it.
 */
export function seedRows(
  keyField: string,
  records: readonly RecordValues[],
  { isPresent = () => true, references = {}, rows = {} }: SeedOptions = {},
): SetSeed {
  return {
    counts: [records.length, records.length],
    record({ set, company }, index) {
      const record = records[index];
      if (!record || !isPresent(record, company)) return undefined;
      const values = {
        ...record,
        ...referencesOf(set, references, company, index),
        lastModifiedDateTime,
        id: derivedGuid(`${idOf(company.record)}:${set.name}:${record[keyField] ?? index}`),
      };
      return { values, lines: rowsOf(set, rows, company, values, index) };
    },
  };
}

/** The rows of the record at an index. */
function rowsOf(
  set: EntitySet,
  rows: NonNullable<SeedOptions['rows']>,
  company: Company,
  owner: RecordValues,
  index: number,
): RecordValues[] {
  return set.navigations.flatMap((navigation) => {
    const seeded = rows[navigation.name];
    if (!seeded) return [];
    return seeded.values.slice(0, index + 1).map((values, place) => {
      const makeId = () => derivedGuid(`${idOf(company.record)}:${seeded.set.name}:${owner.id}:${place}`);
      const refers = referencesOf(seeded.set, seeded.references ?? {}, company, index + place);
      return toRow(seeded.set, navigation, owner, { ...values, ...refers }, makeId);
    });
  });
}

function referencesOf(set: EntitySet, references: References, company: Company, index: number): RecordValues {
  const values = Object.entries(references).flatMap(([name, target]): [string, FieldValue][] => {
    const records = seededRecords(company, target);
    const isReference = set.fields.some((one) => one.name === name && one.kind === 'guid');
    return isReference && records.length > 0 ? [[name, idOf(elementAt(records, index))]] : [];
  });
  return Object.fromEntries(values);
}
