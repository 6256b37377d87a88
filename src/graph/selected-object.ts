import { getOrCompute } from '../runtime/memo.ts';

/** What an operation selects of one object, at one place of the response or at several. */
export interface SelectedObject {
  /** The names of the selected fields. */
  readonly fields: ReadonlySet<string>;
  /**
   * What is selected below a field, over all its aliases. With `version`, only below those with this `version` argument
   * (AUTO by default).
   */
  below(field: string, version?: string): SelectedObject;
}

export const selectNothing: SelectedObject = { fields: new Set(), below: () => selectNothing };

const extended = new WeakMap<SelectedObject, Map<string, SelectedObject>>();

/** An object with more fields selected; `below` stays the same. One object for the same fields, so that loads share a view. */
export const selectMore = (object: SelectedObject, more: readonly string[]): SelectedObject =>
  more.every((name) => object.fields.has(name))
    ? object
    : getOrCompute(
        getOrCompute(extended, object, () => new Map()),
        more.join(' '),
        () => ({ fields: new Set([...object.fields, ...more]), below: object.below }),
      );

const rowsOfConnections = new WeakMap<SelectedObject, SelectedObject>();

/** The rows of a connection: below `nodes`, and below `node` of `edges`. One object for each connection, so that equal lists share a view. */
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
