import { InputError } from '../errors.ts';

/** A filter of the graph's input types: tests by field name, and `and`, `or`, `not`. */
export type FilterInput = Readonly<Record<string, unknown>>;

/** Compiles the conditions of a filter. `path` is the path in the arguments, for messages. */
export interface FilterTarget<Condition> {
  compileField(field: string, tests: FilterInput, isNegated: boolean, path: string): Condition;
  all(conditions: readonly Condition[]): Condition;
  any(conditions: readonly Condition[], path: string): Condition;
}

// Deeper than filters written by hand, and shallow enough for the upstream's parser.
const maxFilterDepth = 16;

/** Compiles a filter. Pushes `not` down to the fields (De Morgan). Throws `InputError` for too deep nesting. */
export function compileFilter<Condition>(filter: FilterInput, target: FilterTarget<Condition>): Condition {
  const join = (isAll: boolean, conditions: readonly Condition[], path: string) =>
    isAll ? target.all(conditions) : target.any(conditions, path);

  const compile = (given: FilterInput, isNegated: boolean, path: string, depth: number): Condition => {
    if (depth > maxFilterDepth)
      throw new InputError(`\`filter\` is nested more than ${maxFilterDepth} deep.`);
    const conditions: Condition[] = [];
    for (const [name, value] of Object.entries(given)) {
      if (value == null) continue;
      const at = `${path}.${name}`;
      if (name === 'not') {
        conditions.push(compile(value as FilterInput, !isNegated, at, depth + 1));
      } else if (name === 'and' || name === 'or') {
        const parts = (value as readonly FilterInput[]).map((one) => compile(one, isNegated, at, depth + 1));
        conditions.push(join((name === 'and') !== isNegated, parts, at));
      } else {
        conditions.push(target.compileField(name, value as FilterInput, isNegated, at));
      }
    }
    return join(!isNegated, conditions, path);
  };

  return compile(filter, false, 'filter', 0);
}

/** Whether an operand is a condition. Only `eq` and `ne` compare with null; other operators ignore it like undefined. */
export const isGiven = (operator: string, operand: unknown): boolean =>
  operand !== undefined && (operand !== null || operator === 'eq' || operator === 'ne');
