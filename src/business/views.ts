import type { Selection } from '../graph/selection.ts';
import { badResponse } from '../upstream/error-answers.ts';
import { isObject } from '../upstream/json.ts';
import { etagOf, queryString, type Row } from '../upstream/odata.ts';
import type { Dialect } from './dialect.ts';
import {
  type Column,
  columnsFor,
  type Expansion,
  type Fields,
  type RecordOf,
  type RecordSet,
  readColumns,
  type Shape,
} from './records.ts';

/** An entity set with the columns one operation needs of it. Loads with the same view can share a call. */
export interface View<F extends Fields = Fields> extends RowView {
  readonly set: RecordSet<F>;
  /** `$select` and `$expand`. */
  readonly options: Readonly<Record<string, string>>;
  /** The same, ready for a query string: encoded, with its question mark; '' where there are none. */
  readonly query: string;
}

/** What is read of one kind of row, and of the rows inside it. */
interface RowView {
  readonly columns: readonly Column[];
  readonly expansions: readonly Expanded[];
}

interface Expanded extends Pick<Expansion, 'navigations' | 'isMany'> {
  readonly field: string;
  readonly rows: RowView;
}

/** A view of a set with the columns and expansions that these fields of the graph need. */
export function createView<F extends Fields>(
  set: RecordSet<F>,
  dialect: Dialect,
  selected: ReadonlySet<string>,
  selection: Selection,
): View<F> {
  const rows = rowsOf(set, dialect, new Set(['id', ...selected]), selection);
  const options = optionsOf(rows);
  return { set, ...rows, options, query: queryString(options) };
}

function rowsOf(
  shape: Shape,
  dialect: Dialect,
  selected: ReadonlySet<string>,
  selection: Selection,
): RowView {
  const expansions = Object.entries(shape.expansions ?? {})
    .filter(([field]) => selected.has(field))
    .map(([field, { shape: inner, navigations, isMany }]) => {
      const below = selection.fields(inner.type);
      // Lines of the document have no id: only what is selected of them is asked for.
      const wanted = isMany ? below : new Set(['id', ...below]);
      return { field, navigations, isMany, rows: rowsOf(inner, dialect, wanted, selection) };
    });
  return { columns: columnsFor(shape, dialect, selected), expansions };
}

function optionsOf({ columns, expansions }: RowView): Record<string, string> {
  const $select = columns.map(({ name }) => name).join(',');
  const $expand = expansions.map(({ navigations, rows }) => navigations[0] + nested(rows)).join(',');
  return { ...($select && { $select }), ...($expand && { $expand }) };
}

function nested(rows: RowView): string {
  const options = Object.entries(optionsOf(rows)).map(([name, value]) => `${name}=${value}`);
  return options.length === 0 ? '' : `(${options.join(';')})`;
}

/** A view of everything a set has: what the answer to a write holds. */
export function fullView<F extends Fields>(set: RecordSet<F>, dialect: Dialect): View<F> {
  return { set, ...allOf(set, dialect), options: {}, query: '' };
}

function allOf(shape: Shape, dialect: Dialect): RowView {
  const expansions = Object.entries(shape.expansions ?? {}).map(
    ([field, { shape: inner, ...expansion }]) => ({
      field,
      ...expansion,
      rows: allOf(inner, dialect),
    }),
  );
  return { columns: columnsFor(shape, dialect, Object.keys(shape.fields)), expansions };
}

/** A row as a record of its company. What did not come with it by `$expand` is undefined. */
export function readRecord<F extends Fields>(view: View<F>, row: Row, companyId: string | null): RecordOf<F> {
  const record = readRow(view, row, companyId);
  if (record.id === null) throw badResponse('business', 'The upstream gave a record without its id.');
  return record as RecordOf<F>;
}

function readRow(
  { columns, expansions }: RowView,
  row: Row,
  companyId: string | null,
): Record<string, unknown> {
  const record = readColumns(columns, row);
  record.companyId = companyId;
  record.etag = etagOf(row);
  for (const { field, navigations, isMany, rows } of expansions) {
    if (isMany) {
      const inner = navigations.map((name) => row[name]).find(Array.isArray);
      record[field] = inner?.filter(isObject).map((child) => readRow(rows, child, companyId));
    } else {
      const inner = row[navigations[0]];
      const one = isObject(inner) ? readRow(rows, inner, companyId) : null;
      // Neither a record nor an honest null: whoever needs it loads it by its id.
      record[field] = inner === null || (one && one.id !== null) ? one : undefined;
    }
  }
  return record;
}

const views = new WeakMap<Selection, Map<RecordSet, View>>();

/** The view of a set for an operation, made once per selection. */
export function viewOf<F extends Fields>(set: RecordSet<F>, dialect: Dialect, selection: Selection): View<F> {
  let ofSelection = views.get(selection);
  if (!ofSelection) {
    ofSelection = new Map();
    views.set(selection, ofSelection);
  }
  let view = ofSelection.get(set) as View<F> | undefined;
  if (!view) {
    view = createView(set, dialect, selection.fields(set.type), selection);
    ofSelection.set(set, view);
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
  const own = queryString(more);
  return path + own + (own ? view.query.replace('?', '&') : view.query);
}
