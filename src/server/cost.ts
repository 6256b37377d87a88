import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { maxFirst } from '../graph/connection.ts';
import { fragmentsOf } from './written-out.ts';

type Variables = Readonly<Record<string, unknown>>;
/** What a piece of an operation costs, by the values of its variables. */
type Cost = (run: Run) => number;

interface Run {
  readonly variables: Variables;
  /** Fragments worked out so far. */
  readonly known: Map<string, number>;
}

// What hangs below a record comes in few rows: an order's lines.
const assumedSize = 10;
// What a page or the answer to many changes is made of: its rows are counted with the field above.
const countedAbove = new Set(['nodes', 'edges', 'node', 'results']);

/**
 * How many upstream rows an operation asks for at most, as a function of its variables: a page counts its `first`,
 * a list given as argument its entries, a record one, and each of them whatever hangs below it. What several places
 * of an answer share is read once, but counted at each.
 *
 * Made once for an operation, so that a request only does the sums.
 */
export function createCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): (variables: Variables) => number {
  const fragments = fragmentsOf(document);
  const ofFragments = new Map<string, Cost>();

  const ofFragment = (name: string): Cost => {
    if (!ofFragments.has(name)) {
      // Set before it is made: a fragment can be met again below itself only in documents that are not valid.
      ofFragments.set(name, free);
      const fragment = fragments.get(name);
      const cost = fragment
        ? ofSet(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value))
        : free;
      ofFragments.set(name, (run) => {
        const known = run.known.get(name) ?? cost(run);
        run.known.set(name, known);
        return known;
      });
    }
    return ofFragments.get(name) ?? free;
  };

  const ofSet = (set: SelectionSetNode, type: GraphQLNamedType | undefined): Cost => {
    const costs = set.selections.flatMap((node): Cost[] => {
      if (node.kind === Kind.FRAGMENT_SPREAD)
        return [unlessSkipped(node, operation, ofFragment(node.name.value))];
      if (node.kind === Kind.FIELD) return [unlessSkipped(node, operation, ofField(node, type))];
      const condition = node.typeCondition?.name.value;
      return [
        unlessSkipped(
          node,
          operation,
          ofSet(node.selectionSet, condition ? schema.getType(condition) : type),
        ),
      ];
    });
    return sumOf(costs.filter((cost) => cost !== free));
  };

  const ofField = (node: FieldNode, parent: GraphQLNamedType | undefined): Cost => {
    const field = parent && 'getFields' in parent ? parent.getFields()[node.name.value] : undefined;
    if (!field || !('args' in field) || !node.selectionSet) return free;
    const type = getNamedType(field.type);
    if (!isCompositeType(type)) return free;
    const size = createSize(field as GraphQLField<unknown, unknown>, node, operation);
    const isCounted = isRow(type) || field.args.some(({ name }) => name === 'first');
    const own = isCounted && !countedAbove.has(node.name.value) ? 1 : 0;
    const below = ofSet(node.selectionSet, type);
    if (own === 0 && below === free) return free;
    return (run) => size(run.variables) * (own + below(run));
  };

  const cost = ofSet(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
  return (variables) => cost({ variables, known: new Map() });
}

const free: Cost = () => 0;

function sumOf(costs: readonly Cost[]): Cost {
  if (costs.length === 0) return free;
  return (run) => {
    let sum = 0;
    for (const cost of costs) sum += cost(run);
    return sum;
  };
}

// A record can be told from others of its kind; everything else comes with the record it belongs to.
const isRow = (type: GraphQLNamedType): boolean =>
  isAbstractType(type) ||
  (isObjectType(type) &&
    (type.getFields().id !== undefined ||
      type.astNode?.directives?.some(({ name }) => name.value === 'key') === true));

type Value = (variables: Variables) => unknown;

function createValue(node: ValueNode | undefined, { variableDefinitions }: OperationDefinitionNode): Value {
  if (!node) return () => undefined;
  if (node.kind === Kind.VARIABLE) {
    const name = node.name.value;
    const fallback = variableDefinitions?.find(({ variable }) => variable.name.value === name)?.defaultValue;
    const usual = fallback && valueFromASTUntyped(fallback);
    return (variables) => (variables[name] === undefined ? usual : variables[name]);
  }
  let hasVariables = false;
  visit(node, {
    Variable: () => {
      hasVariables = true;
    },
  });
  if (hasVariables) return (variables) => valueFromASTUntyped(node, variables);
  const value = valueFromASTUntyped(node);
  return () => value;
}

/** How many rows a field has for each row above it. */
function createSize(
  { args, type }: GraphQLField<unknown, unknown>,
  node: FieldNode,
  operation: OperationDefinitionNode,
): (variables: Variables) => number {
  const argument = (name: string): Value | null => {
    const definition = args.find((arg) => arg.name === name);
    if (!definition) return null;
    const given = createValue(node.arguments?.find((arg) => arg.name.value === name)?.value, operation);
    return (variables) => given(variables) ?? definition.defaultValue;
  };
  const first = argument('first');
  // What is no number is refused before it is read.
  if (first) return (variables) => Math.max(0, Math.min(maxFirst, Number(first(variables)) || 0));
  const representations = argument('representations');
  if (representations) return (variables) => lengthOf(representations(variables));
  const input = argument('input');
  if (input)
    return (variables) => lengthOf((input(variables) as { entries?: unknown } | null | undefined)?.entries);
  const isSized = isListType(getNullableType(type)) && !countedAbove.has(node.name.value);
  return () => (isSized ? assumedSize : 1);
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 1);

/** A piece that is left out where `@skip` or `@include` say so. */
function unlessSkipped(node: SelectionNode, operation: OperationDefinitionNode, cost: Cost): Cost {
  if (cost === free || !node.directives?.length) return cost;
  const conditions = node.directives.map(({ name, arguments: given }) => {
    const condition = createValue(given?.[0]?.value, operation);
    if (name.value === 'skip') return (variables: Variables) => condition(variables) !== true;
    if (name.value === 'include') return (variables: Variables) => condition(variables) !== false;
    return () => true;
  });
  return (run) => (conditions.every((holds) => holds(run.variables)) ? cost(run) : 0);
}
