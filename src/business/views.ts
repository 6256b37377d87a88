import type { Selection } from '../graph/selection.ts';
import { badResponse } from '../upstream/error-answers.ts';
import { isObject } from '../upstream/json.ts';
import { etagOf, queryString, type Row } from '../upstream/odata.ts';
import { columnsFor, type Fields, type RecordOf, type RecordSet, readColumns } from './records.ts';

/** An entity set with the columns one operation needs of it. Loads with the same view can share a call. */
export interface View<F extends Fields = Fields> {
  readonly set: RecordSet<F>;
  readonly columns: readonly string[];
  /** The columns of the set's children; null where the children are not wanted. */
  readonly childColumns: readonly string[] | null;
  /** `$select` and `$expand`, ready for a query. */
  readonly options: Readonly<Record<string, string>>;
}

/** A view of a set with the columns that these fields of the graph need. */
export function createView<F extends Fields>(
  set: RecordSet<F>,
  selected: ReadonlySet<string>,
  selection: Selection,
): View<F> {
  const columns = columnsFor(set, ['id', ...selected]);
  const { children } = set;
  if (!children || !selected.has(children.field)) {
    return { set, columns, childColumns: null, options: { $select: columns.join(',') } };
  }
  const childColumns = columnsFor(children.shape, selection.fields(children.shape.type));
  // Lines of the document have no id, so that only what is selected is asked for.
  const $select = childColumns.length === 0 ? '' : `($select=${childColumns.join(',')})`;
  const $expand = children.navigations[0] + $select;
  return { set, columns, childColumns, options: { $select: columns.join(','), $expand } };
}

/** A view of everything a set has: what the answer to a write holds. */
export function fullView<F extends Fields>(set: RecordSet<F>): View<F> {
  const childColumns = set.children ? Object.keys(set.children.shape.fields) : null;
  return { set, columns: Object.keys(set.fields), childColumns, options: {} };
}

/** A row as a record of its company. Children that did not come with it are null. */
export function readRecord<F extends Fields>(view: View<F>, row: Row, companyId: string | null): RecordOf<F> {
  const { set, columns, childColumns } = view;
  const record = readColumns(set.fields, columns, row);
  record.companyId = companyId;
  record.etag = etagOf(row);
  if (record.id === null) throw badResponse('business', 'The upstream gave a record without its id.');
  if (set.children && childColumns) {
    const { field, navigations, shape } = set.children;
    const rows = navigations.map((name) => row[name]).find(Array.isArray);
    record[field] = rows?.filter(isObject).map((child) => {
      const line = readColumns(shape.fields, childColumns, child);
      line.companyId = companyId;
      return line;
    });
  }
  return record as RecordOf<F>;
}

const views = new WeakMap<Selection, Map<RecordSet, View>>();

/** The view of a set for an operation, made once per selection. */
export function viewOf<F extends Fields>(set: RecordSet<F>, selection: Selection): View<F> {
  const known = views.get(selection) ?? new Map<RecordSet, View>();
  views.set(selection, known);
  let view = known.get(set) as View<F> | undefined;
  if (!view) {
    view = createView(set, selection.fields(set.type), selection);
    known.set(set, view);
  }
  return view;
}

/**
 * The path of an entity set, or of one record in it. Ids are GUIDs, whether they come from a caller or from an
 * upstream: both are checked where they are read, so nothing needs encoding here.
 */
export function pathOf({ apiVersion, entitySet }: RecordSet, companyId: string | null, id?: string): string {
  const set = companyId === null ? entitySet : `companies(${companyId})/${entitySet}`;
  return `/api/${apiVersion}/${set}${id === undefined ? '' : `(${id})`}`;
}

/** A path with a view's options and others. */
export function withOptions(path: string, view: View, more: Readonly<Record<string, string>> = {}): string {
  return path + queryString({ ...more, ...view.options });
}
