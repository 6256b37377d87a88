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

/** What one operation asks of each type, united over all places where the type occurs. */
export interface Selection {
  /**
   * The names of the fields selected on a type. A `version` argument separates what hangs below it from
   * what hangs below its other values (AUTO where none is given); without one, all are united.
   */
  fields(type: string, version?: string): ReadonlySet<string>;
}

/** A selection with more fields, by their type. */
export function selectionWith(
  selection: Selection,
  more: Readonly<Record<string, Iterable<string>>>,
): Selection {
  return {
    fields: (type, version) => new Set([...selection.fields(type, version), ...(more[type] ?? [])]),
  };
}

type Variables = Readonly<Record<string, unknown>>;
type Lookup = (node: ValueNode) => unknown;

interface Planned {
  readonly id: number;
  /** The variables that decide what is selected: those of @skip, @include and `version`. */
  readonly deciding: readonly string[];
  readonly defaults: Variables;
  /** The selection where nothing decides it. */
  only?: Selection;
}

// Of all operations together: six variables that decide have 64 combinations, of 30 kB each where much is selected.
const maxSelections = 500;

/** Computes selections once per operation and per values of the variables that decide them. */
export function createSelections(schema: GraphQLSchema) {
  const planned = new WeakMap<OperationDefinitionNode, Planned>();
  const kept = new LRUCache<string, Selection>({ max: maxSelections });
  let lastId = 0;

  return (document: DocumentNode, operation: OperationDefinitionNode, variables: Variables): Selection => {
    let plan = planned.get(operation);
    if (!plan) {
      lastId += 1;
      plan = { ...decidingVariables(document, operation), id: lastId };
      planned.set(operation, plan);
    }
    const { id, deciding, defaults } = plan;
    if (deciding.length === 0) {
      plan.only ??= selectionOf(schema, document, operation, literal);
      return plan.only;
    }
    const values = deciding.map((name) =>
      decided(variables[name] === undefined ? defaults[name] : variables[name]),
    );
    const key = JSON.stringify([id, ...values]);
    let selection = kept.get(key);
    if (!selection) {
      const byName = new Map(deciding.map((name, index) => [name, values[index]]));
      const lookup: Lookup = (node) =>
        node.kind === Kind.VARIABLE ? byName.get(node.name.value) : literal(node);
      selection = selectionOf(schema, document, operation, lookup);
      kept.set(key, selection);
    }
    return selection;
  };
}

const literal: Lookup = (node) => ('value' in node ? node.value : undefined);

// Variables are not checked yet: whatever can decide nothing is not kept.
function decided(value: unknown): unknown {
  return typeof value === 'boolean' || (typeof value === 'string' && value.length < 16) ? value : null;
}

function decidingVariables(document: DocumentNode, operation: OperationDefinitionNode) {
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

function selectionOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  lookup: Lookup,
): Selection {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const selected = new Map<string, Map<string, Set<string>>>();
  // A fragment adds the same wherever it stands below one type and version. Once is enough, which also
  // keeps fragments that spread each other over and over from costing more than they are long.
  const spread = new Set<string>();

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
      if (!fragment || spread.has(key)) return;
      spread.add(key);
      walk(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value), version);
    } else {
      const name = node.name.value;
      note(selected, type.name, version, name);
      const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
      if (!field || !node.selectionSet) return;
      const given = node.arguments?.find((argument) => argument.name.value === 'version');
      const takesVersion = field.args.some((argument) => argument.name === 'version');
      const below = takesVersion ? ((given && lookup(given.value)) ?? 'AUTO') : version;
      walk(node.selectionSet, getNamedType(field.type), String(below));
    }
  };

  walk(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined, 'AUTO');
  return selectionFrom(selected);
}

/** Apart from what looked for it, so that a selection does not keep its whole document. */
function selectionFrom(selected: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>): Selection {
  const united = new Map(
    [...selected].map(([type, versions]) => [
      type,
      new Set([...versions.values()].flatMap((fields) => [...fields])),
    ]),
  );
  return {
    fields(type, version) {
      return (version === undefined ? united.get(type) : selected.get(type)?.get(version)) ?? nothing;
    },
  };
}

const nothing: ReadonlySet<string> = new Set();

function isIncluded(node: SelectionNode, lookup: Lookup): boolean {
  for (const { name, arguments: given } of node.directives ?? []) {
    const condition = given?.[0] && lookup(given[0].value);
    if (name.value === 'skip' && condition === true) return false;
    if (name.value === 'include' && condition === false) return false;
  }
  return true;
}

function note(selected: Map<string, Map<string, Set<string>>>, type: string, version: string, field: string) {
  const versions = selected.get(type) ?? new Map<string, Set<string>>();
  selected.set(type, versions);
  const fields = versions.get(version) ?? new Set<string>();
  versions.set(version, fields);
  fields.add(field);
}
