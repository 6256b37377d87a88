import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { readNodeType } from '../../graph/nodes.ts';
import { maxFirst } from '../../graph/relay-connection.ts';
import { fieldsCountedWithParent, isRowType } from '../../graph/row-types.ts';
import { findDefinition, listFragments } from '../../graph/selection.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import { RejectionError } from '../rejection.ts';

// This many fields of a row cost about as much as another row.
const fieldsPerRow = 10;
// Limits all filters and orders of an operation together. A text of more than 64 characters counts as several.
const maxComparisons = 1_000;
const charactersPerComparison = 64;
const comparisonArguments: ReadonlySet<string> = new Set(['filter', 'orderBy']);
// Each entry of `nodes` or `_entities` causes work before the read, and more if it names no record.
const minEntryCost = 20;
// Fractions of the limit: an operation can introspect the whole graph three times.
const introspectionShares: ReadonlyMap<string, number> = new Map([
  [SchemaMetaFieldDef.name, 0.3],
  [TypeMetaFieldDef.name, 0.01],
]);

/**
 * Creates a function that returns an operation's cost in upstream rows, given its variables. A page costs its `first`,
 * `nodes`, `_entities` and `input.entries` cost their length, and a record 1. Every ten selected fields of a row, every
 * comparison of a filter, and each field of an extension cost 1 more. Each row also costs what is selected below it. Data
 * that the response contains in several places costs in each place, although it is read once. `limit` is the allowed cost.
 * Throws `RejectionError` above a thousand comparisons.
 *
 * Created once per operation, so that a request only adds up numbers.
 */
export function createCostFunction(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): (variables: RequestVariables, limit: number) => number {
  const fragments = listFragments(document);
  const costByFragment = new Map<string, CostFunction>();
  // An upper bound of the fields of a row: a fragment that is spread twice is counted twice, but resolved once.
  const maxFields = countLeaves(document);

  /** `onlyType` is the object type whose selections count; null if the parent can have several types. */
  const costFragment = (name: string, onlyType: GraphQLObjectType | null): CostFunction => {
    const key = onlyType ? `${name} ${onlyType.name}` : name;
    const existing = costByFragment.get(key);
    if (existing) return existing;
    // Ends the recursion of fragment cycles, which only invalid documents have.
    costByFragment.set(key, costNothing);
    const fragment = fragments.get(name);
    const cost = fragment
      ? costSelections(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value), onlyType)
      : costNothing;
    const memoized: CostFunction = (run) => {
      const cached = run.fragmentCosts.get(key) ?? cost(run);
      run.fragmentCosts.set(key, cached);
      return cached;
    };
    costByFragment.set(key, memoized);
    return memoized;
  };

  const canApply = (condition: string | undefined, onlyType: GraphQLObjectType | null) => {
    const type = condition === undefined ? undefined : schema.getType(condition);
    return (
      !onlyType || !type || type === onlyType || (isAbstractType(type) && schema.isSubType(type, onlyType))
    );
  };

  const costSelection = (
    node: SelectionNode,
    type: GraphQLNamedType | undefined,
    onlyType: GraphQLObjectType | null,
  ): CostFunction => {
    if (node.kind === Kind.FIELD) return costField(node, type);
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      const condition = fragments.get(node.name.value)?.typeCondition.name.value;
      return canApply(condition, onlyType) ? costFragment(node.name.value, onlyType) : costNothing;
    }
    const condition = node.typeCondition?.name.value;
    if (!canApply(condition, onlyType)) return costNothing;
    return costSelections(node.selectionSet, condition ? schema.getType(condition) : type, onlyType);
  };

  const costSelections = (
    set: SelectionSetNode,
    type: GraphQLNamedType | undefined,
    onlyType: GraphQLObjectType | null = null,
  ): CostFunction =>
    sumCosts(
      set.selections
        .map((node) => costUnlessSkipped(node, operation, costSelection(node, type, onlyType)))
        .filter((cost) => cost !== costNothing),
    );

  const costField = (node: FieldNode, parent: GraphQLNamedType | undefined): CostFunction => {
    const field = findDefinition(schema, parent, node.name.value);
    const extensionCost = field?.extensions.isOfExtension ? 1 : 0;
    if (!node.selectionSet) return extensionCost ? costExtensionLeaf : costLeaf;
    const type = field && getNamedType(field.type);
    if (!parent || !field || !isCompositeType(type)) return costNothing;
    const { selectionSet } = node;
    const readType = parent === schema.getQueryType() ? entityTypeReaders.get(node.name.value) : undefined;
    if (readType)
      return costEntities(schema, node, operation, maxFields, readType, (onlyType) =>
        costSelections(selectionSet, type, onlyType),
      );
    const introspectionShare = introspectionShares.get(node.name.value);
    if (introspectionShare !== undefined)
      return ({ limit }) => ({ rows: limit * introspectionShare, fields: 0 });
    const size = createListSize(field, node, operation);
    const isCounted = isRowType(type) || field.args.some(({ name }) => name === 'first');
    const countsRows = isCounted && !fieldsCountedWithParent.has(node.name.value);
    const costBelow = costSelections(selectionSet, type, isObjectType(type) ? type : null);
    const compared = (node.arguments ?? [])
      .filter(({ name }) => comparisonArguments.has(name.value))
      .map(({ value }) => createArgumentReader(value, operation));
    return (run) => {
      const rowCount = size(run.variables);
      const { rows, fields } = costBelow(run);
      const costPerRow = countsRows
        ? 1 + Math.floor(Math.min(fields, maxFields) / fieldsPerRow) + rows
        : rows;
      let comparisons = 0;
      for (const read of compared) comparisons += countComparisons(read(run.variables), maxComparisons);
      run.comparisons += comparisons;
      if (run.comparisons > maxComparisons) throw new RejectionError('QUERY_TOO_COMPLEX', tooManyComparisons);
      return { rows: rowCount * costPerRow + comparisons + extensionCost, fields: countsRows ? 0 : fields };
    };
  };

  const cost = costSelections(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
  return (variables, limit) =>
    Math.ceil(cost({ variables, limit, comparisons: 0, fragmentCosts: new Map() }).rows);
}

function countLeaves(document: DocumentNode): number {
  let count = 0;
  visit(document, {
    Field({ selectionSet }) {
      if (!selectionSet) count += 1;
    },
  });
  return count;
}

/** Readers of an entity's type from the argument of the fields that return entities of any type. */
const entityTypeReaders = new Map<string, (argument: unknown) => unknown>([
  ['_entities', (argument) => (argument as { readonly __typename?: unknown } | null | undefined)?.__typename],
  ['node', readNodeType],
  ['nodes', readNodeType],
]);

/** Creates the cost of entities, which depends on the selections for the type of each. */
function costEntities(
  schema: GraphQLSchema,
  node: FieldNode,
  operation: OperationDefinitionNode,
  maxFields: number,
  readType: (argument: unknown) => unknown,
  costType: (onlyType: GraphQLObjectType) => CostFunction,
): CostFunction {
  const readArgument = createArgumentReader(node.arguments?.[0]?.value, operation);
  const costs = new Map<GraphQLObjectType, CostFunction>();
  const getCostOfType = (name: string): CostFunction => {
    const type = schema.getType(name);
    return isObjectType(type) ? getOrCompute(costs, type, () => costType(type)) : costNothing;
  };
  return (run) => {
    const argument = readArgument(run.variables);
    const costByType = new Map<unknown, number>();
    let rows = 0;
    const [entries, minCost] = Array.isArray(argument) ? [argument, minEntryCost] : [[argument], 1];
    // Saves reading the entries of a list that is too long.
    if (entries.length * minCost > run.limit) return { rows: entries.length * minCost, fields: 0 };
    for (const entry of entries) {
      const name = readType(entry);
      rows += getOrCompute(costByType, name, () => {
        const costBelow = typeof name === 'string' ? getCostOfType(name)(run) : zeroCost;
        const perRow = 1 + Math.floor(Math.min(costBelow.fields, maxFields) / fieldsPerRow);
        return Math.max(minCost, perRow + costBelow.rows);
      });
    }
    return { rows, fields: 0 };
  };
}

const tooManyComparisons = `The filters and orders of the operation have more than ${maxComparisons} comparisons. Use fewer values.`;

/**
 * Counts the comparisons, entries of `in` and order terms in a value, up to `max + 1`. Unknown keys count, too, since
 * they are read before they are rejected.
 */
function countComparisons(value: unknown, max: number): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === 'string') return 1 + Math.floor(value.length / charactersPerComparison);
  if (typeof value !== 'object') return 1;
  const parts = Array.isArray(value) ? value : Object.values(value);
  let count = 0;
  for (const part of parts) {
    count += Math.max(1, countComparisons(part, max - count));
    if (count > max) return max + 1;
  }
  return Math.max(1, count);
}

type RequestVariables = Readonly<Record<string, unknown>>;
/** Reads an argument's value from the variables of a request. */
type ReadArgument = (variables: RequestVariables) => unknown;

/** Creates a reader of an argument's value. A literal is read once; an absent variable has its default value. */
function createArgumentReader(
  node: ValueNode | undefined,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ReadArgument {
  if (!node) return () => undefined;
  const names = new Set<string>();
  visit(node, {
    Variable({ name }) {
      names.add(name.value);
    },
  });
  if (names.size === 0) {
    const value = valueFromASTUntyped(node);
    return () => value;
  }
  const defaults = new Map<string, unknown>();
  for (const { variable, defaultValue } of variableDefinitions)
    if (defaultValue && names.has(variable.name.value))
      defaults.set(variable.name.value, valueFromASTUntyped(defaultValue));
  return (variables) => {
    const values: Record<string, unknown> = Object.create(null);
    for (const name of names)
      values[name] = variables[name] === undefined ? defaults.get(name) : variables[name];
    return valueFromASTUntyped(node, values);
  };
}

/** The assumed length of a list without `first`, such as the lines of an order. */
const assumedListSize = 10;

/** Creates a function that returns the number of rows of a field for each parent row. */
function createListSize(
  { args, type }: GraphQLField<unknown, unknown>,
  node: FieldNode,
  operation: OperationDefinitionNode,
): (variables: RequestVariables) => number {
  const readArgument = (name: string): ReadArgument | null => {
    const definition = args.find((arg) => arg.name === name);
    if (!definition) return null;
    const readGiven = createArgumentReader(
      node.arguments?.find((arg) => arg.name.value === name)?.value,
      operation,
    );
    return (variables) => readGiven(variables) ?? definition.defaultValue;
  };
  const readFirst = readArgument('first');
  // Values that are not numbers are rejected later.
  if (readFirst) return (variables) => Math.max(0, Math.min(maxFirst, Number(readFirst(variables)) || 0));
  const readInput = readArgument('input');
  if (readInput)
    return (variables) =>
      countEntries((readInput(variables) as { entries?: unknown } | null | undefined)?.entries);
  const isSized = isListType(getNullableType(type)) && !fieldsCountedWithParent.has(node.name.value);
  return () => (isSized ? assumedListSize : 1);
}

const countEntries = (value: unknown): number => (Array.isArray(value) ? value.length : 1);

/** Cost per parent object: rows, and fields of objects that do not count as rows themselves. */
export interface SelectionCost {
  readonly rows: number;
  readonly fields: number;
}
/** Computes the cost with the variables of a request. */
export type CostFunction = (run: CostRun) => SelectionCost;

export interface CostRun {
  readonly variables: RequestVariables;
  readonly limit: number;
  /** Comparisons and order terms counted so far. */
  comparisons: number;
  readonly fragmentCosts: Map<string, SelectionCost>;
}

const zeroCost: SelectionCost = { rows: 0, fields: 0 };
const costNothing: CostFunction = () => zeroCost;
const oneFieldCost: SelectionCost = { rows: 0, fields: 1 };
const costLeaf: CostFunction = () => oneFieldCost;
const costExtensionLeaf: CostFunction = () => ({ rows: 1, fields: 1 });

function sumCosts(costs: readonly CostFunction[]): CostFunction {
  if (costs.length === 0) return costNothing;
  return (run) => {
    let rows = 0;
    let fields = 0;
    for (const cost of costs) {
      const term = cost(run);
      rows += term.rows;
      fields += term.fields;
    }
    return { rows, fields };
  };
}

/** Costs nothing if `@skip` or `@include` exclude the node. */
function costUnlessSkipped(
  node: SelectionNode,
  operation: OperationDefinitionNode,
  cost: CostFunction,
): CostFunction {
  if (cost === costNothing || !node.directives?.length) return cost;
  const conditions = node.directives.map(({ name, arguments: args }) => {
    const condition = createArgumentReader(args?.[0]?.value, operation);
    if (name.value === 'skip') return (variables: RequestVariables) => condition(variables) !== true;
    if (name.value === 'include') return (variables: RequestVariables) => condition(variables) !== false;
    return () => true;
  });
  return (run) => (conditions.every((holds) => holds(run.variables)) ? cost(run) : zeroCost);
}
