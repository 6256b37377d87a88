import type { OperationDefinitionNode, SelectionNode } from 'graphql';
import { createArgumentReader, type RequestVariables } from './argument-values.ts';

/** Cost per parent object: rows, and fields of objects that do not count as rows themselves. */
export interface SelectionCost {
  readonly rows: number;
  readonly fields: number;
}
/** Computes the cost with the variables of a request. */
export type CostFunction = (run: CostRun) => SelectionCost;

export interface CostRun {
  readonly variables: RequestVariables;
  /** The cost that the operation may have. */
  readonly limit: number;
  /** Fragments computed so far in this run. */
  readonly fragmentCosts: Map<string, SelectionCost>;
}

export const zeroCost: SelectionCost = { rows: 0, fields: 0 };
export const costNothing: CostFunction = () => zeroCost;
const oneFieldCost: SelectionCost = { rows: 0, fields: 1 };
export const costLeaf: CostFunction = () => oneFieldCost;

export function sumCosts(costs: readonly CostFunction[]): CostFunction {
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

/** Costs nothing when `@skip` or `@include` exclude the node. */
export function costUnlessSkipped(
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
