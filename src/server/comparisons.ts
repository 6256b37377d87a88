import { type DocumentNode, type OperationDefinitionNode, visit } from 'graphql';
import { createValue, type Value, type Variables } from './argument-values.ts';

/** How many comparisons and order terms an operation may have in all its places. */
export const maxComparisons = 1_000;
/** The arguments that hold them. */
export const comparingArguments: ReadonlySet<string> = new Set(['filter', 'orderBy']);

// A text of more characters counts as several.
const charactersOfComparison = 64;

/**
 * How many comparisons, entries of `in` and order terms a value has, counted up to one more than `most`. Whatever is
 * written counts, fitting or not: it is read before that is known.
 */
export function comparisonsIn(value: unknown, most = maxComparisons): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === 'string') return 1 + Math.floor(value.length / charactersOfComparison);
  if (typeof value !== 'object') return 1;
  const parts = Array.isArray(value) ? value : Object.values(value);
  let count = 0;
  for (const part of parts) {
    count += Math.max(1, comparisonsIn(part, most - count));
    if (count > most) return most + 1;
  }
  return Math.max(1, count);
}

/** How many comparisons an operation has, by its variables: each place of the document once, fragments too. */
export function createComparisons(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): (variables: Variables) => number {
  const values: Value[] = [];
  visit(document, {
    // Other operations of the document are not carried out.
    OperationDefinition: (node) => (node === operation ? undefined : false),
    Argument({ name, value }) {
      if (comparingArguments.has(name.value)) values.push(createValue(value, operation));
    },
  });
  return (variables) => {
    let count = 0;
    for (const value of values) {
      count += comparisonsIn(value(variables), maxComparisons - count);
      if (count > maxComparisons) break;
    }
    return count;
  };
}
