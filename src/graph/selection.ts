import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
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

type SelectionVariables = Readonly<Record<string, unknown>>;

interface SelectionPlan {
  readonly id: number;
  /** The variables that affect the selection: those of @skip, @include and `version`. */
  readonly deciding: readonly string[];
  readonly defaults: SelectionVariables;
  /** The selections by the values of these variables. Kept here, and so as long as the operation, which they refer to. */
  readonly selections: Map<string, Selection>;
}

// Of all operations together, of those that variables affect: six Boolean variables have 64 combinations.
const maxSelections = 500;

/** Computes selections once per operation and per values of the variables that affect them. */
export function createSelectionCache(schema: GraphQLSchema) {
  const plans = new WeakMap<OperationDefinitionNode, SelectionPlan>();
  const used = new LRUCache<string, WeakRef<SelectionPlan>>({
    noDisposeOnSet: true,
    max: maxSelections,
    dispose: (plan, key) => plan.deref()?.selections.delete(key),
  });
  let lastId = 0;

  return (
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: SelectionVariables,
  ): Selection => {
    let plan = plans.get(operation);
    if (!plan) {
      lastId += 1;
      plan = { ...findDecidingVariables(document, operation), id: lastId, selections: new Map() };
      plans.set(operation, plan);
    }
    const { id, deciding, defaults, selections } = plan;
    const values = deciding.map((name) =>
      normalizeDecidingValue(variables[name] === undefined ? defaults[name] : variables[name]),
    );
    const key = deciding.length === 0 ? '' : JSON.stringify([id, ...values]);
    let selection = selections.get(key);
    if (!selection) {
      const byName = new Map(deciding.map((name, index) => [name, values[index]]));
      selection = createSelection(schema, document, operation, (node) =>
        node.kind === Kind.VARIABLE ? byName.get(node.name.value) : readLiteral(node),
      );
      selections.set(key, selection);
    }
    if (key !== '') used.set(key, new WeakRef(plan));
    return selection;
  };
}

const readLiteral = (node: ValueNode): unknown => ('value' in node ? node.value : undefined);

// These are the variables as they were sent: a value that cannot affect the selection is replaced by null, to bound the cache.
function normalizeDecidingValue(value: unknown): unknown {
  return typeof value === 'boolean' || (typeof value === 'string' && value.length < 16) ? value : null;
}

function findDecidingVariables(document: DocumentNode, operation: OperationDefinitionNode) {
  const names = new Set<string>();
  const collect = (value: ValueNode) => {
    if (value.kind === Kind.VARIABLE) names.add(value.name.value);
  };
  visit(document, {
    Directive: ({ name, arguments: given }) => {
      if (name.value === 'skip' || name.value === 'include')
        for (const { value } of given ?? []) collect(value);
    },
    Argument: ({ name, value }) => {
      if (name.value === 'version') collect(value);
    },
  });
  const defaults: Record<string, unknown> = {};
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue && 'value' in defaultValue) defaults[variable.name.value] = defaultValue.value;
  }
  return { deciding: [...names], defaults };
}

function createSelection(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  lookup: SelectionScope['lookup'],
): Selection {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const scope: SelectionScope = { schema, fragments, lookup };
  const type = schema.getRootType(operation.operation);
  const rootPart = type && { set: operation.selectionSet, type, version: 'AUTO' };
  const root = rootPart ? createPlacedObject(scope, [rootPart]) : selectNothing;
  const objects = new Map<string, SelectedObject>();
  let fieldsByType: ReadonlyMap<string, readonly SelectedType[]> | undefined;

  const objectAt = (path: GraphQLResolveInfo['path'] | undefined): PlacedObject => {
    if (path === undefined) return root;
    const parent = objectAt(path.prev);
    return typeof path.key === 'number' ? parent : parent.belowKey(path.key);
  };

  // Both executors have one array of nodes for each place, which all rows of a list share.
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
