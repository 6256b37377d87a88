import type { GraphQLResolveInfo } from 'graphql';
import { InputError } from '../../errors.ts';
import { createRelayConnection, type RelayConnection } from '../../graph/relay-connection.ts';
import { type SelectedObject, selectRows } from '../../graph/selected-object.ts';
import type { Business, PageArguments } from '../business.ts';
import type { FieldKinds, RecordOf, RecordSet } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import { sourceOf, sourceSetsOf } from '../sources/record-sources.ts';
import { toEnumMember } from './filters.ts';

/** What is known of a record beside its own columns. Symbols, so that copies of a record keep it and no response shows it. */
const rowsOfSources = Symbol('rows of sources');
const ownFailure = Symbol('failure of its own set');

type SourceRow = RecordOf<FieldKinds> & Readonly<Record<string, unknown>>;

/** A record of a type with several sources, of which a part may have been read. */
export interface SourcedRecord {
  readonly companyId: string;
  readonly id: string;
  readonly etag?: string | null;
  readonly [rowsOfSources]?: Readonly<Record<string, SourceRow>>;
  /** Why the type's own set could not be read: its fields fail with this error. */
  readonly [ownFailure]?: unknown;
}

/** Fields that say nothing but which record it is. */
const keyFields = new Set(['__typename', 'nodeId', 'id', 'companyId', 'company']);

/** The sources with a selected field. */
export const selectedSources = (recordType: RecordTypeDescriptor, { fields }: SelectedObject): string[] =>
  [...sourceSetsOf(recordType).keys()].filter((name) =>
    [...fields].some((field) => sourceOf(recordType, field) === name),
  );

/** The row that a source has of a record, with what the operation selects of it: read by key, once for all that ask at a time. */
export async function readSource(
  business: Business,
  recordType: RecordTypeDescriptor,
  name: string,
  record: SourcedRecord,
): Promise<SourceRow | null> {
  const known = record[rowsOfSources]?.[name];
  if (known) return known;
  const set = sourceSetsOf(recordType).get(name) as RecordSet;
  const view = business.plan(set, business.selection.ofType(recordType.type));
  return (await business.loadView(view, record.companyId, record.id)) as SourceRow | null;
}

/** Throws what kept the type's own set from being read. */
export function requireOwnFields(record: SourcedRecord): void {
  if (record[ownFailure] !== undefined) throw record[ownFailure];
}

/**
 * A record by its id. Sources with selected fields are read at the same time as its own set; where none of the own fields is
 * selected, a source that has the record proves that there is one.
 */
export async function loadFromSources(
  business: Business,
  recordType: RecordTypeDescriptor,
  companyId: string,
  id: string,
  loadOwn: () => unknown,
): Promise<unknown> {
  const selected = business.selection.ofType(recordType.type);
  const names = selectedSources(recordType, selected);
  const reads = names.map((name) => readSource(business, recordType, name, { companyId, id }));
  for (const read of reads) read.catch(() => {});
  const [name, ...others] = names;
  if (name === undefined || others.length > 0 || selectsOwnFields(recordType, selected)) return loadOwn();
  const row = await (reads[0] as Promise<SourceRow | null>).catch(() => null);
  return row ? toRecord(row, name) : loadOwn();
}

const selectsOwnFields = (recordType: RecordTypeDescriptor, { fields }: SelectedObject): boolean =>
  [...fields].some((field) => !keyFields.has(field) && sourceOf(recordType, field) === null);

const toRecord = (row: SourceRow, name: string): SourcedRecord => ({
  companyId: row.companyId,
  id: row.id,
  [rowsOfSources]: { [name]: row },
});

/**
 * The source that has all columns of a filter and an order; null for the type's own set. Throws `InputError` where they are
 * of several sets: no upstream joins them. `ownColumns` are columns of the own set that the list has conditions on anyway.
 */
export function sourceOfList(
  recordType: RecordTypeDescriptor,
  { filter, orderBy }: Pick<PageArguments, 'filter' | 'orderBy'>,
  ownColumns: readonly string[] = [],
): string | null {
  const members = new Map(
    [...sourceSetsOf(recordType).values()].flatMap(({ fields }) =>
      Object.keys(fields).map((field) => [toEnumMember(field), field] as const),
    ),
  );
  const used = [
    ...fieldsOfFilter(filter ?? {}),
    ...(orderBy ?? []).map(({ field }) => members.get(field) ?? field),
    ...ownColumns,
    // Every set has the id.
  ].filter((field) => field !== 'id' && field !== 'ID');
  const bySource = new Map(used.map((field) => [sourceOf(recordType, field), field]));
  if (bySource.size > 1) {
    const named = [...bySource.values()].map((field) => `\`${field}\``).join(' and ');
    throw new InputError(
      `${named} are columns of different sets of the upstream, which cannot be filtered or sorted together. Name columns of one of them.`,
    );
  }
  return bySource.keys().next().value ?? null;
}

function fieldsOfFilter(filter: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(filter).flatMap(([name, value]) => {
    if (value == null) return [];
    if (name !== 'and' && name !== 'or' && name !== 'not') return [name];
    return [value].flat().flatMap((inner) => fieldsOfFilter(inner as Readonly<Record<string, unknown>>));
  });
}

/**
 * A page of a source, with what is selected of the type's own set: that is read by key, all rows at once. Rows of records
 * that the own set does not have are left out of it; where it is not read, they are not noticed.
 */
export async function listFromSource(
  business: Business,
  recordType: RecordTypeDescriptor,
  name: string,
  companyId: string,
  { first, after, filter, orderBy }: PageArguments,
  info: GraphQLResolveInfo,
  loadOwn: (id: string) => Promise<object | null>,
): Promise<RelayConnection<SourcedRecord>> {
  const set = sourceSetsOf(recordType).get(name) as RecordSet;
  const connection = business.selection.at(info);
  const selected = selectRows(connection);
  const query = business.compileListQuery(set, business.dialect, { filter, orderBy });
  const request = { first, after, query, count: connection.fields.has('totalCount') };
  const list = await business.listSelected(set, selected, companyId, request);
  const needsOwn = selectsOwnFields(recordType, selected);
  const read = list.nodes.map(async (row, index) => {
    const record = toRecord(row as SourceRow, name);
    if (!needsOwn) return [{ record, index }];
    try {
      const own = await loadOwn(row.id);
      return own ? [{ record: { ...own, ...record }, index }] : [];
    } catch (failure) {
      return [{ record: { ...record, [ownFailure]: failure }, index }];
    }
  });
  const found = (await Promise.all(read)).flat();
  return createRelayConnection({
    ...list,
    nodes: found.map(({ record }) => record),
    // The next page begins behind the last row, also where that is of no record.
    endIndex: list.nodes.length - 1,
    cursorAt: (at) => list.cursorAt(found[at]?.index ?? at),
  });
}
