import { badRequestError } from '../api-error.ts';
import { isJsonObject } from '../json-checks.ts';
import type { EntitySet, Navigation, RecordValues } from './entity-set.ts';
import { type Company, newRecordGuid, type StoredRecord } from './store.ts';
import { blankValues, readFieldValues } from './writes/field-values.ts';

/*
 * Rows come with the record that they belong to, and are read by `$expand` alone. The lines of orders and quotes, which
 * have rules of their own, are in `order-lines.ts`.
 */

/** Holds the set of a row: a record may have rows of several. No field has this name. */
const setOfRow = '@set';

/** A row of a record, with an id where its set has one. Values that are not given are unset. */
export function toRow(
  set: EntitySet,
  { ownerField = 'documentId' }: Navigation,
  owner: RecordValues,
  given: RecordValues,
  makeId: () => string,
): RecordValues {
  const hasId = set.fields.some(({ name, kind }) => name === 'id' && kind === 'guid');
  const hasOwner = set.fields.some(({ name, kind }) => name === ownerField && kind === 'guid');
  return {
    ...blankValues(set),
    ...given,
    ...(hasId && { id: makeId() }),
    ...(hasOwner && { [ownerField]: String(owner.id) }),
    [setOfRow]: set.name,
  };
}

/** The rows of a record that are of a set. */
export const rowsIn = ({ lines }: StoredRecord, { name }: EntitySet): readonly StoredRecord[] =>
  lines.filter(({ values }) => (values[setOfRow] ?? name) === name);

interface GivenRows {
  readonly navigation: Navigation;
  readonly set: EntitySet;
  readonly rows: readonly RecordValues[];
}

/** Separates the rows in the body of a create from the values of the record. Throws an `ApiError` for an invalid row. */
export function separateRows(
  { navigations }: EntitySet,
  setNamed: (name: string) => EntitySet,
  body: Readonly<Record<string, unknown>>,
): { readonly given: readonly GivenRows[]; readonly rest: Readonly<Record<string, unknown>> } {
  const rest = { ...body };
  const given = navigations.flatMap((navigation): GivenRows[] => {
    const { name, from, by, target } = navigation;
    if (from !== undefined || by !== undefined || body[name] === undefined) return [];
    delete rest[name];
    const set = setNamed(target);
    return [{ navigation, set, rows: readRows(set, name, body[name]) }];
  });
  return { given, rest };
}

/** The rows of a new record. */
export const createRows = (
  company: Company,
  owner: RecordValues,
  given: readonly GivenRows[],
): readonly RecordValues[] =>
  given.flatMap(({ navigation, set, rows }) =>
    rows.map((row) => toRow(set, navigation, owner, row, () => newRecordGuid(company, set.name))),
  );

function readRows(set: EntitySet, name: string, value: unknown): readonly RecordValues[] {
  if (!Array.isArray(value) || !value.every(isJsonObject))
    throw badRequestError(`The property '${name}' must be a list of objects.`);
  return value.map((row) => readFieldValues(set, row));
}
