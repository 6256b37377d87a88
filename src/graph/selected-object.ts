import { getOrCompute } from '../runtime/memo.ts';

/** The fields that an operation selects of one object, merged over one or several places of the response. */
export interface SelectedObject {
  /** The names of the selected fields. */
  readonly fields: ReadonlySet<string>;
  /**
   * The selection below a field, merged over its aliases. With `version`, only over aliases with this `version` argument, which
   * is AUTO by default.
   */
  below(field: string, version?: string): SelectedObject;
}

export const selectNothing: SelectedObject = { fields: new Set(), below: () => selectNothing };

const extended = new WeakMap<SelectedObject, Map<string, SelectedObject>>();

/** Adds fields to a selection. Equal arguments give the same object, so that loads share a view. */
export const selectMore = (object: SelectedObject, more: readonly string[]): SelectedObject =>
  more.every((name) => object.fields.has(name))
    ? object
    : getOrCompute(
        getOrCompute(extended, object, () => new Map()),
        more.join(' '),
        () => ({ fields: new Set([...object.fields, ...more]), below: object.below }),
      );

const rowsOfConnections = new WeakMap<SelectedObject, SelectedObject>();

/** The selection of a connection's rows: below `nodes`, and below `node` of `edges`. Equal arguments give the same object. */
export const selectRows = (connection: SelectedObject): SelectedObject =>
  getOrCompute(rowsOfConnections, connection, () => {
    const nodes = connection.below('nodes');
    const edges = connection.below('edges').below('node');
    if (edges.fields.size === 0) return nodes;
    return nodes.fields.size === 0 ? edges : mergeObjects(nodes, edges);
  });

export function mergeObjects(one: SelectedObject, other: SelectedObject): SelectedObject {
  return {
    fields: new Set([...one.fields, ...other.fields]),
    below: (field, version) => mergeObjects(one.below(field, version), other.below(field, version)),
  };
}
