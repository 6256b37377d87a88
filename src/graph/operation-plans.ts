import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { InputError } from '../errors.ts';
import { createProjection, type Projection } from './projection.ts';
import { createSelection, listFragments, type Selection, type SelectionScope } from './selection.ts';

/** Depends on the operation, and on the values of the variables that affect its selection. */
export interface OperationPlan {
  readonly selection: Selection;
  readonly projection: Projection;
}

type Variables = Readonly<Record<string, unknown>>;

interface PlansOfOperation {
  readonly id: number;
  /** The variables of `@skip` and `@include`. */
  readonly conditionVariables: readonly string[];
  /** `conditionVariables`, and the variables of `version` arguments. */
  readonly selectionVariables: readonly string[];
  /** The only plan, if the operation has no `selectionVariables`. */
  only?: OperationPlan;
}

// For all operations together. Six Boolean variables of one operation have 64 combinations.
const maxPlansByValues = 500;

/** Creates one plan per operation and values of its selection variables. Variables must be coerced. */
export function createOperationPlans(schema: GraphQLSchema) {
  const plansByOperation = new WeakMap<OperationDefinitionNode, PlansOfOperation>();
  const plansByValues = new LRUCache<string, OperationPlan>({ max: maxPlansByValues });
  let lastId = 0;

  return (
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Variables,
  ): OperationPlan => {
    let plans = plansByOperation.get(operation);
    if (!plans) {
      lastId += 1;
      plans = { ...findSelectionVariables(document), id: lastId };
      plansByOperation.set(operation, plans);
    }
    const { id, conditionVariables, selectionVariables } = plans;
    const values = new Map(
      selectionVariables.map((name) => [name, Object.hasOwn(variables, name) ? variables[name] : undefined]),
    );
    for (const name of conditionVariables)
      if (values.get(name) === null)
        throw new InputError(
          `The variable \`$${name}\` is null, and \`@skip\` and \`@include\` take no null.`,
        );
    const key = selectionVariables.length === 0 ? '' : JSON.stringify([id, ...values.values()]);
    let plan = key === '' ? plans.only : plansByValues.get(key);
    if (!plan) {
      const type = schema.getRootType(operation.operation);
      if (!type) throw new TypeError(`The schema has no type for a ${operation.operation}.`);
      const scope = { schema, fragments: listFragments(document), lookup: createLookup(values) };
      const root = { set: operation.selectionSet, type, version: 'AUTO' };
      plan = { selection: createSelection(scope, root), projection: createProjection(scope, type, root) };
      if (key === '') plans.only = plan;
      else plansByValues.set(key, plan);
    }
    return plan;
  };
}

function findSelectionVariables(
  document: DocumentNode,
): Pick<PlansOfOperation, 'conditionVariables' | 'selectionVariables'> {
  const conditions = new Set<string>();
  const versions = new Set<string>();
  visit(document, {
    Directive: ({ name, arguments: given }) => {
      if (name.value !== 'skip' && name.value !== 'include') return;
      for (const { value } of given ?? []) if (value.kind === Kind.VARIABLE) conditions.add(value.name.value);
    },
    Argument: ({ name, value }) => {
      if (name.value === 'version' && value.kind === Kind.VARIABLE) versions.add(value.name.value);
    },
  });
  return { conditionVariables: [...conditions], selectionVariables: [...conditions, ...versions] };
}

const createLookup =
  (variables: ReadonlyMap<string, unknown>): SelectionScope['lookup'] =>
  (node: ValueNode) =>
    node.kind === Kind.VARIABLE ? variables.get(node.name.value) : 'value' in node ? node.value : undefined;
