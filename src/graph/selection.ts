import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';

/** The fields that an operation selects on each type, united over all occurrences of the type. */
export interface Selection {
  /**
   * The names of the fields selected on a type. With `version`, only those below a field with this `version` argument
   * (AUTO by default); without it, all.
   */
  fields(type: string, version?: string): ReadonlySet<string>;
}

/** Adds fields, by type name, to a selection. */
export function extendSelection(
  selection: Selection,
  more: Readonly<Record<string, Iterable<string>>>,
): Selection {
  return {
    fields: (type, version) => new Set([...selection.fields(type, version), ...(more[type] ?? [])]),
  };
}

type SelectionVariables = Readonly<Record<string, unknown>>;
type ValueLookup = (node: ValueNode) => unknown;

interface SelectionPlan {
  readonly id: number;
  /** The variables that affect the selection: those of @skip, @include and `version`. */
  readonly deciding: readonly string[];
  readonly defaults: SelectionVariables;
  /** The selection, if no variable affects it. */
  unconditional?: Selection;
}

// For all operations together. Six Boolean variables have 64 combinations, up to 30 kB each.
const maxSelections = 500;

/** Computes selections once per operation and per values of the variables that affect them. */
export function createSelectionCache(schema: GraphQLSchema) {
  const plans = new WeakMap<OperationDefinitionNode, SelectionPlan>();
  const cache = new LRUCache<string, Selection>({ max: maxSelections });
  let lastId = 0;

  return (
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: SelectionVariables,
  ): Selection => {
    let plan = plans.get(operation);
    if (!plan) {
      lastId += 1;
      plan = { ...findDecidingVariables(document, operation), id: lastId };
      plans.set(operation, plan);
    }
    const { id, deciding, defaults } = plan;
    if (deciding.length === 0) {
      plan.unconditional ??= computeSelection(schema, document, operation, readLiteral);
      return plan.unconditional;
    }
    const values = deciding.map((name) =>
      normalizeDecidingValue(variables[name] === undefined ? defaults[name] : variables[name]),
    );
    const key = JSON.stringify([id, ...values]);
    let selection = cache.get(key);
    if (!selection) {
      const byName = new Map(deciding.map((name, index) => [name, values[index]]));
      const lookup: ValueLookup = (node) =>
        node.kind === Kind.VARIABLE ? byName.get(node.name.value) : readLiteral(node);
      selection = computeSelection(schema, document, operation, lookup);
      cache.set(key, selection);
    }
    return selection;
  };
}

const readLiteral: ValueLookup = (node) => ('value' in node ? node.value : undefined);

// Variables are not validated yet: a value that cannot affect the selection is replaced by null, to bound the cache.
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

function computeSelection(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  lookup: ValueLookup,
): Selection {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const selected = new Map<string, Map<string, Set<string>>>();
  // A fragment adds the same fields wherever it is spread below one version, so each is visited once. This also makes
  // the cost linear for fragments that spread each other repeatedly.
  const visitedFragments = new Set<string>();

  const walk = (set: SelectionSetNode, type: GraphQLNamedType | undefined, version: string): void => {
    if (type) for (const node of set.selections) if (isIncluded(node, lookup)) step(node, type, version);
  };

  const step = (node: SelectionNode, type: GraphQLNamedType, version: string): void => {
    if (node.kind === Kind.INLINE_FRAGMENT) {
      const condition = node.typeCondition?.name.value;
      walk(node.selectionSet, condition === undefined ? type : schema.getType(condition), version);
    } else if (node.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(node.name.value);
      const key = `${node.name.value} ${version}`;
      if (!fragment || visitedFragments.has(key)) return;
      visitedFragments.add(key);
      walk(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value), version);
    } else {
      const name = node.name.value;
      addSelectedField(selected, type.name, version, name);
      const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
      if (!field || !node.selectionSet) return;
      const given = node.arguments?.find((argument) => argument.name.value === 'version');
      const takesVersion = field.args.some((argument) => argument.name === 'version');
      const below = takesVersion ? ((given && lookup(given.value)) ?? 'AUTO') : version;
      walk(node.selectionSet, getNamedType(field.type), String(below));
    }
  };

  walk(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined, 'AUTO');
  return createSelection(selected);
}

/** A separate function, so that the selection's closure does not retain the document. */
function createSelection(selected: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>): Selection {
  const fieldsByType = new Map(
    [...selected].map(([type, versions]) => [
      type,
      new Set([...versions.values()].flatMap((fields) => [...fields])),
    ]),
  );
  return {
    fields(type, version) {
      return (version === undefined ? fieldsByType.get(type) : selected.get(type)?.get(version)) ?? noFields;
    },
  };
}

const noFields: ReadonlySet<string> = new Set();

function isIncluded(node: SelectionNode, lookup: ValueLookup): boolean {
  for (const { name, arguments: given } of node.directives ?? []) {
    const condition = given?.[0] && lookup(given[0].value);
    if (name.value === 'skip' && condition === true) return false;
    if (name.value === 'include' && condition === false) return false;
  }
  return true;
}

function addSelectedField(
  selected: Map<string, Map<string, Set<string>>>,
  type: string,
  version: string,
  field: string,
) {
  const versions = selected.get(type) ?? new Map<string, Set<string>>();
  selected.set(type, versions);
  const fields = versions.get(version) ?? new Set<string>();
  versions.set(version, fields);
  fields.add(field);
}
