import type { Selection } from '../../graph/selection.ts';
import { badResponseError } from '../../http/errors.ts';
import { buildQueryString, type ODataRow, parseEtag } from '../../odata/collection.ts';
import { isJsonObject } from '../../runtime/json.ts';
import { type Column, parseColumns, selectColumns } from '../columns.ts';
import type { Dialect } from '../dialect.ts';
import type { FieldKinds, RecordOf, RecordSet, RowShape } from '../record-set.ts';

/** An entity set with the columns one operation needs of it. Loads with the same view can share a call. */
export interface View<F extends FieldKinds = FieldKinds> extends RowView {
  readonly set: RecordSet<F>;
  /** `$select` and `$expand`. */
  readonly options: Readonly<Record<string, string>>;
  /** The same, ready for a query string: encoded, with its question mark; '' where there are none. */
  readonly query: string;
}

/** What is read of one kind of row, and of the rows inside it. */
interface RowView {
  readonly columns: readonly Column[];
  readonly expansions: readonly ExpandedView[];
}

interface ExpandedView {
  readonly field: string;
  readonly navigations: readonly [string, ...string[]];
  readonly isMany: boolean;
  readonly rows: RowView;
}

/** A view of a set with the columns and expansions that these fields of the graph need. */
export function createView<F extends FieldKinds>(
  set: RecordSet<F>,
  dialect: Dialect,
  selected: ReadonlySet<string>,
  selection: Selection,
): View<F> {
  const rows = createRowView(set, dialect, new Set(['id', ...selected]), selection);
  const options = buildQueryOptions(rows);
  return { set, ...rows, options, query: buildQueryString(options) };
}

function createRowView(
  shape: RowShape,
  dialect: Dialect,
  selected: ReadonlySet<string>,
  selection: Selection,
): RowView {
  const expansions = Object.entries(shape.relations ?? {}).flatMap(
    ([field, { target, navigations, isMany = false }]) => {
      if (!navigations || !selected.has(field)) return [];
      const fields = selection.fields(target.type);
      // Lines of the source document have no id, so only their selected columns are read.
      const columns = isMany ? fields : new Set(['id', ...fields]);
      return [{ field, navigations, isMany, rows: createRowView(target, dialect, columns, selection) }];
    },
  );
  return { columns: selectColumns(shape, dialect, selected), expansions };
}

function buildQueryOptions({ columns, expansions }: RowView): Record<string, string> {
  const $select = columns.map(({ name }) => name).join(',');
  const $expand = expansions
    .map(({ navigations, rows }) => navigations[0] + formatNestedOptions(rows))
    .join(',');
  return { ...($select && { $select }), ...($expand && { $expand }) };
}

function formatNestedOptions(rows: RowView): string {
  const options = Object.entries(buildQueryOptions(rows)).map(([name, value]) => `${name}=${value}`);
  return options.length === 0 ? '' : `(${options.join(';')})`;
}

/** A view of all columns and expansions of a set, to parse the response to a write. */
export function createFullView<F extends FieldKinds>(set: RecordSet<F>, dialect: Dialect): View<F> {
  return { set, ...createFullRowView(set, dialect), options: {}, query: '' };
}

function createFullRowView(shape: RowShape, dialect: Dialect): RowView {
  const expansions = Object.entries(shape.relations ?? {}).flatMap(
    ([field, { target, navigations, isMany = false }]) =>
      navigations ? [{ field, navigations, isMany, rows: createFullRowView(target, dialect) }] : [],
  );
  return { columns: selectColumns(shape, dialect, Object.keys(shape.fields)), expansions };
}

/** Parses a row to a record of its company. Relations that were not expanded are undefined. */
export function parseRecord<F extends FieldKinds>(
  view: View<F>,
  row: ODataRow,
  companyId: string | null,
): RecordOf<F> {
  const record = parseRow(view, row, companyId);
  if (record.id === null)
    throw badResponseError('business', 'The upstream responded with a record that has no id.');
  return record as RecordOf<F>;
}

/** The record of a read or write by id. Throws if the upstream responded with another. */
export function requireRecordId<R extends { readonly id: string }>(record: R, id: string): R {
  if (record.id.toLowerCase() === id.toLowerCase()) return record;
  throw badResponseError('business', 'The upstream responded with another record.');
}

function parseRow(
  { columns, expansions }: RowView,
  row: ODataRow,
  companyId: string | null,
): Record<string, unknown> {
  const record = parseColumns(columns, row);
  record.companyId = companyId;
  record.etag = parseEtag(row);
  for (const { field, navigations, isMany, rows } of expansions) {
    if (isMany) {
      const inner = navigations.map((name) => row[name]).find(Array.isArray);
      record[field] = inner?.filter(isJsonObject).map((child) => parseRow(rows, child, companyId));
    } else {
      const inner = row[navigations[0]];
      const one = isJsonObject(inner) ? parseRow(rows, inner, companyId) : null;
      // Missing or invalid expansion: the resolver then loads the record by id.
      record[field] = inner === null || (one && one.id !== null) ? one : undefined;
    }
  }
  return record;
}

const viewsBySelection = new WeakMap<Selection, Map<RecordSet, View>>();

/** The view of a set for an operation, made once per selection. */
export function getView<F extends FieldKinds>(
  set: RecordSet<F>,
  dialect: Dialect,
  selection: Selection,
): View<F> {
  let ofSelection = viewsBySelection.get(selection);
  if (!ofSelection) {
    ofSelection = new Map();
    viewsBySelection.set(selection, ofSelection);
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
 * upstream: both are validated when they are parsed, so nothing needs encoding here.
 */
export function recordPath(
  { apiVersion, entitySet }: RecordSet,
  companyId: string | null,
  id?: string,
): string {
  const set = companyId === null ? entitySet : `companies(${companyId})/${entitySet}`;
  return `/api/${apiVersion}/${set}${id === undefined ? '' : `(${id})`}`;
}

/** A path with a view's options and others. */
export function appendQuery(path: string, view: View, more: Readonly<Record<string, string>> = {}): string {
  const own = buildQueryString(more);
  return path + own + (own ? view.query.replace('?', '&') : view.query);
}
