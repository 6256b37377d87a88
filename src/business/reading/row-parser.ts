import { fieldReaders } from '../../graph/projection.ts';
import { isUuid, unsetUuid } from '../../graph/scalars.ts';
import { badResponseError } from '../../http/errors.ts';
import { readNextLink } from '../../http/pagination.ts';
import { type ODataRow, parseEtag, readControl } from '../../odata/collection.ts';
import { int32OrNull, isJsonObject } from '../../runtime/json.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import { readColumns } from '../columns.ts';
import type { BusinessRecord } from '../record-set.ts';
import type { ExpandedView, RowView, View } from './views.ts';

/** Parses the rows of one read to records of its company. */
export interface RowParser {
  /** Throws `UpstreamError` for a row without an id. */
  parse(row: ODataRow): BusinessRecord;
  parseAll(rows: readonly ODataRow[]): readonly BusinessRecord[];
}

/**
 * A record that parses a value of its row only when a field asks for it. Each view has a class of its own, with a getter and
 * a reader (for the projection) of each field that the view reads. A relation that did not come is undefined.
 */
interface Row {
  readonly $values: ODataRow;
  /** The record that this row is a line of; null for a record of its own. */
  readonly $owner: Row | null;
  readonly companyId: string | null;
  readonly etag: string | null;
  readonly [field: string]: unknown;
}

type RowClass = new (values: ODataRow, companyId: string | null, owner: Row | null) => Row;

const classes = new WeakMap<RowView, RowClass>();

const rowClassOf = (view: RowView): RowClass => getOrCompute(classes, view, () => createRowClass(view));

function createRowClass({ columns, expansions, ownerFields }: RowView): RowClass {
  // The names of fields have no `$`.
  class RowOfView {
    readonly $values: ODataRow;
    readonly $owner: Row | null;
    readonly companyId: string | null;

    constructor(values: ODataRow, companyId: string | null, owner: Row | null) {
      this.$values = values;
      this.$owner = owner;
      this.companyId = companyId;
    }

    get etag(): string | null {
      return parseEtag(this.$values);
    }
  }
  const readers = new Map<string, (row: Row) => unknown>();
  for (const { field, read } of readColumns(columns)) readers.set(field, ({ $values }) => read($values));
  for (const name of ownerFields) readers.set(name, ({ $owner }) => $owner?.[name]);
  for (const expansion of expansions) readers.set(expansion.field, expandedReader(expansion));
  for (const [field, read] of readers)
    Object.defineProperty(RowOfView.prototype, field, {
      get(this: Row) {
        return read(this);
      },
      enumerable: true,
    });
  Object.defineProperty(RowOfView.prototype, fieldReaders, { value: readers });
  return RowOfView as unknown as RowClass;
}

/** A copy of a record, whose fields are properties. */
export function copyRecord<R extends object>(record: R): R {
  const { companyId, etag } = record as unknown as Row;
  const copy: Record<string, unknown> = { companyId, etag };
  // With inherited ones, which its getters are.
  for (const name in record) if (!name.startsWith('$')) copy[name] = record[name];
  return copy as R;
}

/** Reads the record or the rows that came with a record. */
function expandedReader(expansion: ExpandedView): (owner: Row) => unknown {
  const { isMany, navigations, rows, idName } = expansion;
  const innerName = nameOfId(rows);
  const RowOfView = rowClassOf(rows);
  if (isMany)
    return (owner) =>
      findRows(expansion, owner.$values)?.map((values) => new RowOfView(values, owner.companyId, owner));
  return ({ $values, companyId }) => {
    const inner = $values[navigations[0]];
    if (inner === null) return null;
    if (!isJsonObject(inner) || isReference(rows, inner)) return undefined;
    const innerId = inner[innerName];
    const id = idName === null ? null : $values[idName];
    // Missing, invalid or another one: the resolver loads the record by the id beside it.
    return isRecordId(innerId) && (!isRecordId(id) || isSameId(id, innerId))
      ? new RowOfView(inner, companyId, null)
      : undefined;
  };
}

const nameOfId = ({ columns }: RowView): string => columns.find(({ field }) => field === 'id')?.name ?? 'id';

const isRecordId = (id: unknown): id is string => isUuid(id) && id !== unsetUuid;

const isSameId = (one: string, other: string): boolean =>
  one === other || one.toLowerCase() === other.toLowerCase();

/** The rows inside a record; undefined where they did not come, or only a part of them (OData 4.0 part 1, 11.2.5.7). */
function findRows({ navigations }: ExpandedView, values: ODataRow): readonly ODataRow[] | undefined {
  const name = navigations.find((name) => Array.isArray(values[name]));
  if (name === undefined) return undefined;
  const rows = values[name] as readonly unknown[];
  const count = int32OrNull(readControl(values, 'count', name)) ?? 0;
  const isPart = count > rows.length || readNextLink(readControl(values, 'nextLink', name)) !== null;
  if (isPart) return undefined;
  return (rows.every(isJsonObject) ? rows : rows.filter(isJsonObject)) as readonly ODataRow[];
}

/** Whether a row has none of the columns that were selected, except its id. */
const isReference = ({ columns }: RowView, row: ODataRow): boolean =>
  columns.length > 1 && columns.every(({ field, name }) => field === 'id' || row[name] === undefined);

export function createRowParser(view: View, companyId: string | null): RowParser {
  const RowOfView = rowClassOf(view);
  const idName = nameOfId(view);

  const parse = (values: ODataRow): BusinessRecord => {
    if (!isRecordId(values[idName]))
      throw badResponseError('business', 'The upstream responded with a record that has no id.');
    return new RowOfView(values, companyId, null) as unknown as BusinessRecord;
  };

  return { parse, parseAll: (rows) => rows.map(parse) };
}

/** Parses one row to a record of its company. */
export const parseRecord = (view: View, row: ODataRow, companyId: string | null): BusinessRecord =>
  createRowParser(view, companyId).parse(row);

/** The record of a read or write by id. Throws if the upstream responded with another. */
export function requireRecordId<R extends { readonly id: string }>(record: R, id: string): R {
  if (record.id === id.toLowerCase()) return record;
  throw badResponseError('business', 'The upstream responded with another record.');
}
