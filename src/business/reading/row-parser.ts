import { fieldReaders } from '../../graph/projection.ts';
import { isUuid, unsetUuid } from '../../graph/scalars.ts';
import { badResponseError } from '../../http/errors.ts';
import { readNextLink } from '../../http/pagination.ts';
import { type ODataRow, parseEtag, readControl } from '../../odata/collection.ts';
import { int32OrNull, isJsonObject } from '../../runtime/json.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import { createColumnReader } from '../record-sets/columns.ts';
import type { BusinessRecord } from '../record-sets/record-set.ts';
import type { ExpandedView, RowView, View } from './views.ts';

/** Parses a row of one read to a record of a company. Throws `UpstreamError` for a row without an id. */
export type RowParser = (row: ODataRow) => BusinessRecord;

/**
 * A record that parses values of its row lazily. Each view has its own class, with a getter and a reader (for the
 * projection) for each of its fields. A relation that was not expanded is undefined.
 */
interface Row {
  readonly $values: ODataRow;
  /** The record that this row belongs to; null if the row is not a line. */
  readonly $owner: Row | null;
  readonly companyId: string | null;
  readonly etag: string | null;
  readonly [field: string]: unknown;
}

type RowClass = new (values: ODataRow, companyId: string | null, owner: Row | null) => Row;

const classes = new WeakMap<RowView, RowClass>();

const rowClassOf = (view: RowView): RowClass => getOrCompute(classes, view, () => createRowClass(view));

function createRowClass({ columns, expansions, ownerFields }: RowView): RowClass {
  // `$` keeps the own properties apart from fields, whose names have no `$`.
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
  for (const column of columns) {
    const read = createColumnReader(column);
    readers.set(column.field, ({ $values }) => read($values));
  }
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

/** Copies a record to an object with plain properties instead of getters. */
export function copyRecord<R extends object>(record: R): R {
  const { companyId, etag } = record as unknown as Row;
  const copy: Record<string, unknown> = { companyId, etag };
  // `for…in` includes the getters, which are inherited.
  for (const name in record) if (!name.startsWith('$')) copy[name] = record[name];
  return copy as R;
}

/** Creates the reader of an expanded relation. */
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
    // If the expanded id is missing, invalid or different, the resolver loads the record by the id in its owner.
    if (!isRecordId(innerId)) return undefined;
    const fits = id === innerId || !isRecordId(id) || id.toLowerCase() === innerId.toLowerCase();
    return fits ? new RowOfView(inner, companyId, null) : undefined;
  };
}

const nameOfId = ({ columns }: RowView): string => columns.find(({ field }) => field === 'id')?.name ?? 'id';

const isRecordId = (id: unknown): id is string => isUuid(id) && id !== unsetUuid;

/** The expanded rows of a record; undefined if they are missing or incomplete (OData 4.0 part 1, 11.2.5.7). */
function findRows({ navigations }: ExpandedView, values: ODataRow): readonly ODataRow[] | undefined {
  const name = navigations.find((name) => Array.isArray(values[name]));
  if (name === undefined) return undefined;
  const rows = values[name] as readonly unknown[];
  const count = int32OrNull(readControl(values, 'count', name)) ?? 0;
  const isPart = count > rows.length || readNextLink(readControl(values, 'nextLink', name)) !== null;
  if (isPart) return undefined;
  return (rows.every(isJsonObject) ? rows : rows.filter(isJsonObject)) as readonly ODataRow[];
}

/** Whether an expanded record has none of the selected columns except its id. */
const isReference = ({ columns }: RowView, row: ODataRow): boolean =>
  columns.length > 1 && columns.every(({ field, name }) => field === 'id' || row[name] === undefined);

export function createRowParser(view: View, companyId: string | null): RowParser {
  const RowOfView = rowClassOf(view);
  const idName = nameOfId(view);
  return (values) => {
    if (!isRecordId(values[idName]))
      throw badResponseError('business', 'The upstream responded with a record that has no id.');
    return new RowOfView(values, companyId, null) as unknown as BusinessRecord;
  };
}

/** Parses one row to a record of a company. */
export const parseRecord = (view: View, row: ODataRow, companyId: string | null): BusinessRecord =>
  createRowParser(view, companyId)(row);

/** Returns the record. Throws if it has another id. */
export function requireRecordId<R extends { readonly id: string }>(record: R, id: string): R {
  if (record.id === id.toLowerCase()) return record;
  throw badResponseError('business', 'The upstream responded with another record.');
}
