import { type SelectedObject, selectMore } from '../../graph/selected-object.ts';
import type { ExplainedRelation } from '../../http/call.ts';
import { apiRoot } from '../../odata/batch.ts';
import { buildQueryString } from '../../odata/collection.ts';
import { type Column, columnName, selectColumns } from '../record-sets/columns.ts';
import type { Dialect } from '../record-sets/dialect.ts';
import type { RecordSet, RowShape } from '../record-sets/record-set.ts';

/** An entity set with the columns and expansions of one read. Loads with the same view can share a call. */
export interface View extends RowView {
  readonly set: RecordSet;
  /** `$select` and `$expand`. */
  readonly options: Readonly<Record<string, string>>;
  /** `options` as an encoded query string with its question mark; '' without options. */
  readonly query: string;
  /** The view without optional expansions; null if this view has none. */
  readonly plain: View | null;
}

/** The columns and expansions to read of one kind of row. */
export interface RowView {
  readonly columns: readonly Column[];
  readonly expansions: readonly ExpandedView[];
  /** The selected columns that the rows take from the record they belong to. */
  readonly ownerFields: readonly string[];
  /** The paths of relations that can be expanded, but are loaded by key. */
  readonly loaded: readonly string[];
}

export interface ExpandedView {
  /** The field of the graph. */
  readonly field: string;
  /** The entity set and its navigations: `salesOrders/salesOrderLines/item`. */
  readonly path: string;
  /** The navigation to expand, then other names that responses may have for it. */
  readonly navigations: readonly [string, ...string[]];
  readonly isMany: boolean;
  /** The upstream's name of the owner's column with the id of the record; null if no column has it. */
  readonly idName: string | null;
  /** Whether it can only be read by `$expand`. */
  readonly isRequired: boolean;
  /** Whether creates expand it, too. */
  readonly onCreate: boolean;
  readonly rows: RowView;
}

/** Decides whether a relation to one record is expanded. Relations to many rows always are. */
export type DecideExpansion = (expansion: Omit<ExpandedView, 'rows'>) => boolean;

/** Creates a view with the columns and expansions that the selected fields need. */
export function createView(
  set: RecordSet,
  dialect: Dialect,
  selected: SelectedObject,
  decide: DecideExpansion = () => true,
): View {
  const object = selectMore(selected, ['id']);
  const withOptions = (rows: RowView, plain: View | null): View => {
    const options = buildQueryOptions(rows);
    return { set, ...rows, options, query: buildQueryString(options), plain };
  };
  const plain = withOptions(
    createRowView(set, dialect, object, set.entitySet, () => false),
    null,
  );
  const rows = createRowView(set, dialect, object, set.entitySet, decide);
  const view = withOptions(rows, plain);
  return view.query === plain.query ? plain : view;
}

function createRowView(
  shape: RowShape,
  dialect: Dialect,
  object: SelectedObject,
  path: string,
  decide: DecideExpansion,
): RowView {
  const relations = Object.entries(shape.relations ?? {}).filter(([field]) => object.fields.has(field));
  const loaded: string[] = [];
  const expansions = relations.flatMap(([field, relation]): ExpandedView[] => {
    const { target, navigations, isMany = false, idColumn, onCreate = false } = relation;
    const hasNoId = shape.dialects?.[dialect.name]?.sourceColumns?.[field]?.length === 0;
    const isRequired = isMany || relation.isExpandedOnly === true || hasNoId;
    if (!navigations) return [];
    const below = relation.select ? relation.select(object, dialect) : object.below(field);
    if (!below) return [];
    const expansion = {
      field,
      path: `${path}/${navigations[0]}`,
      navigations,
      isMany,
      idName: idColumn === undefined ? null : columnName(shape, dialect, idColumn),
      isRequired,
      onCreate,
    };
    if (!isMany && !decide(expansion)) {
      loaded.push(expansion.path);
      return [];
    }
    // Lines of the source document have no id, so only their selected columns are read.
    const inner = isMany ? below : selectMore(below, ['id']);
    return [{ ...expansion, rows: createRowView(target, dialect, inner, expansion.path, decide) }];
  });
  const selected = [...object.fields, ...expansions.flatMap(({ rows }) => rows.ownerFields)];
  const ownerFields = shape.ownerFields?.filter((name) => object.fields.has(name)) ?? [];
  return { columns: selectColumns(shape, dialect, selected), expansions, ownerFields, loaded };
}

/** Explains how each relation of the rows is read. */
export const explainRelations = ({ expansions, loaded }: RowView): ExplainedRelation[] => [
  ...expansions.flatMap(({ path, rows }) => [{ path, plan: 'EXPANDED' as const }, ...explainRelations(rows)]),
  ...loaded.map((path) => ({ path, plan: 'LOADED' as const })),
];

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

/** The path of an entity set, or of one record in it; `ownerId` is the id of the owner if the set has an `ownerSet`. */
export function recordPath(
  { route, entitySet, ownerSet }: RecordSet,
  companyId: string | null,
  id?: string,
  ownerId?: string,
): string {
  // The ids need no encoding: GUIDs are validated when they are parsed, from callers and from upstreams.
  const owned = ownerId === undefined ? entitySet : `${ownerSet}(${ownerId})/${entitySet}`;
  const set = companyId === null ? owned : `companies(${companyId})/${owned}`;
  return `${apiRoot(route)}/${set}${id === undefined ? '' : `(${id})`}`;
}

/** Appends the query options of a view, and others, to a path. */
export function appendQuery(path: string, view: View, more: Readonly<Record<string, string>> = {}): string {
  const own = buildQueryString(more);
  return path + own + (own ? view.query.replace('?', '&') : view.query);
}
