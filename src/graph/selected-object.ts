import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
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

/** An object at one place of the response. */
export interface PlacedObject extends SelectedObject {
  /**
   * What is selected below a response key; aliases of one field with one version share it. `name` is that of the field: where
   * objects of several places are united, a key may stand for several fields.
   */
  belowKey(key: string, name?: string): PlacedObject;
}

/** One selection set of the object, with the type and the version it applies to. */
export interface SelectedPart {
  readonly set: SelectionSetNode;
  readonly type: GraphQLNamedType;
  readonly version: string;
}

/** What the parts are read with. */
export interface SelectionScope {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Returns the value of a Boolean or `version` argument. */
  readonly lookup: (node: ValueNode) => unknown;
}

export const selectNothing: PlacedObject = {
  fields: new Set(),
  below: () => selectNothing,
  belowKey: () => selectNothing,
};

/** An object with more fields selected; `below` stays the same. */
export function selectMore(object: SelectedObject, more: Iterable<string>): SelectedObject {
  return { fields: new Set([...object.fields, ...more]), below: object.below };
}

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

/** A field with what is selected below it; `version` is the one that applies there. */
export interface SelectedField {
  /** The response key. */
  readonly key: string;
  readonly name: string;
  readonly version: string;
  /** By their selection sets: fragments can lead to one set many times. */
  readonly parts: Map<SelectionSetNode, SelectedPart>;
}

/** Fields by a key of their own, such as their response keys. */
export type SelectedFields = Map<string, SelectedField>;

export function addField(
  fields: SelectedFields,
  key: string,
  name: string,
  version: string,
  below: SelectedPart | null,
): void {
  const ofField = `${key} ${name}`;
  let field = fields.get(ofField);
  if (!field) {
    field = { key, name, version: below?.version ?? version, parts: new Map() };
    fields.set(ofField, field);
  }
  if (below) field.parts.set(below.set, below);
}

/** An object of these fields; `collect` is called on first use. */
export function createSelectedObject(
  scope: SelectionScope,
  collect: () => ReadonlyMap<string, SelectedField>,
): PlacedObject {
  let known: ReadonlyMap<string, SelectedField> | undefined;
  let names: ReadonlySet<string> | undefined;
  const objects = new Map<string, PlacedObject>();
  const entries = () => {
    known ??= collect();
    return known;
  };

  const below = (field: string, version?: string): PlacedObject => {
    const key = version === undefined ? field : `${field} ${version}`;
    let object = objects.get(key);
    if (!object) {
      const inner = [...entries().values()]
        .filter((entry) => entry.name === field && (version === undefined || entry.version === version))
        .flatMap((entry) => [...entry.parts.values()]);
      object = inner.length === 0 ? selectNothing : createPlacedObject(scope, inner);
      objects.set(key, object);
    }
    return object;
  };

  return {
    get fields() {
      names ??= new Set([...entries().values()].map(({ name }) => name));
      return names;
    },
    below,
    belowKey(key, name) {
      const entry = [...entries().values()].find(
        (one) => one.key === key && (name === undefined || one.name === name),
      );
      return entry ? below(entry.name, entry.version) : selectNothing;
    },
  };
}

/** An object of these selection sets. Collects its fields as an executor does: each fragment once. */
export const createPlacedObject = (scope: SelectionScope, parts: readonly SelectedPart[]): PlacedObject =>
  createSelectedObject(scope, () => {
    const fields: SelectedFields = new Map();
    for (const part of parts) {
      visitFields(scope, part, new Set(), (node, type) => {
        const below = partBelow(scope, node, type, part.version);
        addField(fields, node.alias?.value ?? node.name.value, node.name.value, part.version, below);
      });
    }
    return fields;
  });

/**
 * Visits the fields of a selection set with those of its fragments, each with the type it is selected of. Skips fragments
 * that never apply, and those that `visited` holds for their type.
 */
export function visitFields(
  scope: SelectionScope,
  { set, type, version }: SelectedPart,
  visited: Set<string>,
  visit: (node: FieldNode, type: GraphQLNamedType) => void,
): void {
  const visitSet = (inner: SelectionSetNode, innerType: GraphQLNamedType) =>
    visitFields(scope, { set: inner, type: innerType, version }, visited, visit);
  for (const node of set.selections) {
    if (!isIncluded(node, scope.lookup)) continue;
    if (node.kind === Kind.FIELD) visit(node, type);
    else if (node.kind === Kind.INLINE_FRAGMENT) {
      const condition = node.typeCondition?.name.value;
      const innerType = condition === undefined ? type : narrowType(scope.schema, type, condition);
      if (innerType) visitSet(node.selectionSet, innerType);
    } else {
      const fragment = scope.fragments.get(node.name.value);
      const innerType = fragment && narrowType(scope.schema, type, fragment.typeCondition.name.value);
      if (!innerType) continue;
      const key = `${node.name.value} ${innerType.name}`;
      if (visited.has(key)) continue;
      visited.add(key);
      visitSet(fragment.selectionSet, innerType);
    }
  }
}

/** The type that fields have in a fragment with this condition, spread on `type`; null where it never applies. */
function narrowType(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  condition: string,
): GraphQLNamedType | null {
  if (condition === type.name) return type;
  const narrower = schema.getType(condition);
  if (!narrower) return null;
  const isObjectOrInterface = isObjectType(type) || isInterfaceType(type);
  if (isObjectOrInterface && isAbstractType(narrower) && schema.isSubType(narrower, type)) return type;
  return isObjectType(type) ? null : narrower;
}

/** The selection set of a field; null for a leaf and for an unknown field. */
export function partBelow(
  { lookup }: SelectionScope,
  node: FieldNode,
  type: GraphQLNamedType,
  version: string,
): SelectedPart | null {
  const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
  if (!field || !node.selectionSet) return null;
  const given = node.arguments?.find(({ name }) => name.value === 'version');
  const takesVersion = field.args.some(({ name }) => name === 'version');
  return {
    set: node.selectionSet,
    type: getNamedType(field.type),
    version: takesVersion ? String((given && lookup(given.value)) ?? 'AUTO') : version,
  };
}

function isIncluded(node: SelectionNode, lookup: SelectionScope['lookup']): boolean {
  for (const { name, arguments: given } of node.directives ?? []) {
    const condition = given?.[0] && lookup(given[0].value);
    if (name.value === 'skip' && condition === true) return false;
    if (name.value === 'include' && condition === false) return false;
  }
  return true;
}
