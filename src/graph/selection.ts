import {
  type GraphQLResolveInfo,
  isAbstractType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import {
  addField,
  createPlacedObject,
  createSelectedObject,
  type PlacedObject,
  partBelow,
  type SelectedFields,
  type SelectedObject,
  type SelectedPart,
  type SelectionScope,
  selectNothing,
  visitFields,
} from './selected-object.ts';

/** What an operation selects. */
export interface Selection {
  /** What is selected at the place of the response that a resolver resolves. */
  at(info: Pick<GraphQLResolveInfo, 'path' | 'fieldNodes'>): SelectedObject;
  /** What is selected of the object to which the field at this place belongs. */
  around(info: Pick<GraphQLResolveInfo, 'path'>): SelectedObject;
  /**
   * What is selected of a type, united over all its places. With `version`, only below fields with this `version` argument
   * (AUTO by default).
   */
  ofType(type: string, version?: string): SelectedObject;
}

/** A path to a field, with the names of fields where the executor is Tributary's. */
type NamedPath = GraphQLResolveInfo['path'] & {
  readonly name?: string;
  readonly prev: NamedPath | undefined;
};

export function createSelection(scope: SelectionScope, operation: OperationDefinitionNode): Selection {
  const type = scope.schema.getRootType(operation.operation);
  const rootPart = type && { set: operation.selectionSet, type, version: 'AUTO' };
  const root = rootPart ? createPlacedObject(scope, [rootPart]) : selectNothing;
  const objects = new Map<string, SelectedObject>();
  let fieldsByType: ReadonlyMap<string, readonly SelectedType[]> | undefined;

  const objectAt = (path: NamedPath | undefined): PlacedObject => {
    if (path === undefined) return root;
    const parent = objectAt(path.prev);
    return typeof path.key === 'number' ? parent : parent.belowKey(path.key, path.name);
  };

  // A field has one array of nodes for all rows of a list.
  const byNodes = new WeakMap<GraphQLResolveInfo['fieldNodes'], PlacedObject>();

  return {
    at(info) {
      const known = byNodes.get(info.fieldNodes);
      if (known) return known;
      const object = objectAt(info.path);
      byNodes.set(info.fieldNodes, object);
      return object;
    },
    around: ({ path }) => objectAt(path.prev),
    ofType(name, version) {
      const key = `${name} ${version}`;
      let object = objects.get(key);
      if (!object) {
        fieldsByType ??= rootPart ? collectByType(scope, rootPart) : new Map();
        const ofType = fieldsByType.get(name) ?? [];
        object = createSelectedObject(scope, () => mergeFields(ofType, version));
        objects.set(key, object);
      }
      return object;
    },
  };
}

/** The fields selected of a type below one version. */
interface SelectedType {
  readonly version: string;
  readonly fields: SelectedFields;
}

/**
 * The fields of every object type of an operation; those selected of an interface or union count for each of its object
 * types. Fragments count once for each type and version they are spread below: time and size are linear in the document,
 * however often fragments spread each other.
 */
function collectByType(
  scope: SelectionScope,
  root: SelectedPart,
): ReadonlyMap<string, readonly SelectedType[]> {
  const byType = new Map<string, SelectedType[]>();
  const fieldsOf = (type: string, version: string): SelectedFields => {
    const versions = byType.get(type) ?? [];
    byType.set(type, versions);
    const known = versions.find((one) => one.version === version);
    if (known) return known.fields;
    const fields: SelectedFields = new Map();
    versions.push({ version, fields });
    return fields;
  };
  const visitedByVersion = new Map<string, Set<string>>();
  // The object types of an interface lead to the same sets.
  const collected = new Map<SelectionSetNode, Set<string>>();
  const isCollected = ({ set, type, version }: SelectedPart): boolean => {
    const known = collected.get(set) ?? new Set<string>();
    const key = `${type.name} ${version}`;
    if (known.has(key)) return true;
    collected.set(set, known.add(key));
    return false;
  };
  const collect = (part: SelectedPart) => {
    if (isCollected(part)) return;
    const { version } = part;
    const visited = visitedByVersion.get(version) ?? new Set<string>();
    visitedByVersion.set(version, visited);
    visitFields(scope, part, visited, (node, type) => {
      const name = node.name.value;
      for (const one of isAbstractType(type) ? scope.schema.getPossibleTypes(type) : [type]) {
        const below = partBelow(scope, node, one, version);
        addField(fieldsOf(one.name, version), `${name} ${below?.version}`, name, version, below);
        if (below) collect(below);
      }
    });
  };
  collect(root);
  return byType;
}

function mergeFields(types: readonly SelectedType[], version: string | undefined): SelectedFields {
  const merged: SelectedFields = new Map();
  for (const { version: ofType, fields } of types) {
    if (version !== undefined && ofType !== version) continue;
    for (const [key, field] of fields) {
      const known = merged.get(key);
      merged.set(key, { ...field, parts: new Map([...(known?.parts ?? []), ...field.parts]) });
    }
  }
  return merged;
}
