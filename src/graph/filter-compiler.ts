import { InputError } from '../errors.ts';

/** A filter as the graph's input types have it: tests by field, and `and`, `or`, `not`. */
export type FilterInput = Readonly<Record<string, unknown>>;

/** What the conditions of a filter are compiled to. A `path` is their place in the arguments, for messages. */
export interface FilterTarget<Condition> {
  compileField(field: string, tests: FilterInput, isNegated: boolean, path: string): Condition;
  all(conditions: readonly Condition[]): Condition;
  any(conditions: readonly Condition[], path: string): Condition;
}

// Deeper than anybody writes by hand, and shallow enough for whoever parses it.
const maxFilterDepth = 16;

/** Compiles a filter; `not` is pushed down to the fields. Throws `InputError` for one that is nested too deep. */
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

/** Whether an operand is a condition. Null is one for `eq` and `ne`; to the other operators it is as if left out. */
export const isGiven = (operator: string, operand: unknown): boolean =>
  operand !== undefined && (operand !== null || operator === 'eq' || operator === 'ne');
