import {
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { createArgumentReader, type ReadArgument, type RequestVariables } from './argument-values.ts';

/** Maximum number of comparisons and order terms in an operation. */
export const maxComparisons = 1_000;
/** The arguments that contain them. */
export const comparisonArguments: ReadonlySet<string> = new Set(['filter', 'orderBy']);

// A longer string counts as several comparisons.
const charactersPerComparison = 64;

/**
 * Counts the comparisons, entries of `in` and order terms in a value, up to `max + 1`. Unknown keys count
 * too, since they are read before they are rejected.
 */
function countComparisons(value: unknown, max = maxComparisons): number {
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

/** Creates a counter for an argument of a document, given the variables of a request. */
export function createArgumentCounter(
  node: ValueNode,
  operation: OperationDefinitionNode,
): (variables: RequestVariables) => number {
  const { constant, variables: readVariables } = countArgument(node, operation);
  if (node.kind === Kind.VARIABLE)
    return (variables) => countComparisons((readVariables[0] as ReadArgument)(variables));
  return (variables) => {
    let count = constant;
    for (const readVariable of readVariables) {
      count += Math.max(1, countComparisons(readVariable(variables), maxComparisons - count));
      if (count > maxComparisons) break;
    }
    return count;
  };
}

interface ArgumentCount {
  /** The count of the literal parts. */
  readonly constant: number;
  /** The variables inside, each of which counts at least 1. */
  readonly variables: readonly ReadArgument[];
}

function countArgument(node: ValueNode, operation: OperationDefinitionNode): ArgumentCount {
  if (node.kind === Kind.VARIABLE) return { constant: 0, variables: [createArgumentReader(node, operation)] };
  if (node.kind !== Kind.LIST && node.kind !== Kind.OBJECT)
    return { constant: countComparisons(valueFromASTUntyped(node)), variables: [] };
  const parts = node.kind === Kind.LIST ? node.values : node.fields.map(({ value }) => value);
  const counts = parts.map((part) => countArgument(part, operation));
  const literalCount = counts.reduce(
    (sum, { constant, variables }) => sum + Math.max(variables.length ? 0 : 1, constant),
    0,
  );
  const variables = counts.flatMap((count) => count.variables);
  return { constant: Math.max(variables.length ? 0 : 1, literalCount), variables };
}

/**
 * Creates a counter of an operation's comparisons. Each argument in the document counts once, also in
 * fragments.
 */
export function createComparisonCounter(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): (variables: RequestVariables) => number {
  const counters: ((variables: RequestVariables) => number)[] = [];
  visit(document, {
    // Skip the document's other operations.
    OperationDefinition: (node) => (node === operation ? undefined : false),
    Argument({ name, value }) {
      if (comparisonArguments.has(name.value)) counters.push(createArgumentCounter(value, operation));
    },
  });
  return (variables) => {
    let count = 0;
    for (const counter of counters) {
      count += counter(variables);
      if (count > maxComparisons) break;
    }
    return count;
  };
}
