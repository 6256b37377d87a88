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

/** What depends on an operation alone, and on the values of the variables that decide what it selects. */
export interface OperationPlan {
  readonly selection: Selection;
  readonly projection: Projection;
}

type Variables = Readonly<Record<string, unknown>>;

interface PlansOfOperation {
  readonly id: number;
  /** The variables of @skip and @include. */
  readonly conditions: readonly string[];
  /** These, and the variables of `version`. */
  readonly deciding: readonly string[];
  /** The plan, where no variable decides. */
  only?: OperationPlan;
}

// Of all operations together: six Boolean variables have 64 combinations.
const maxPlansByValues = 500;

/** Makes plans once per operation and per values of the variables that affect them. Variables are coerced. */
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
      plans = { ...findDecidingVariables(document), id: lastId };
      plansByOperation.set(operation, plans);
    }
    const { id, conditions, deciding } = plans;
    const values = new Map(
      deciding.map((name) => [name, Object.hasOwn(variables, name) ? variables[name] : undefined]),
    );
    for (const name of conditions)
      if (values.get(name) === null)
        throw new InputError(
          `The variable \`$${name}\` is null, and \`@skip\` and \`@include\` take no null.`,
        );
    const key = deciding.length === 0 ? '' : JSON.stringify([id, ...values.values()]);
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

function findDecidingVariables(document: DocumentNode): Pick<PlansOfOperation, 'conditions' | 'deciding'> {
  const conditions = new Set<string>();
  const deciding = new Set<string>();
  visit(document, {
    Directive: ({ name, arguments: given }) => {
      if (name.value !== 'skip' && name.value !== 'include') return;
      for (const { value } of given ?? []) if (value.kind === Kind.VARIABLE) conditions.add(value.name.value);
    },
    Argument: ({ name, value }) => {
      if (name.value === 'version' && value.kind === Kind.VARIABLE) deciding.add(value.name.value);
    },
  });
  return { conditions: [...conditions], deciding: [...conditions, ...deciding] };
}

const createLookup =
  (variables: ReadonlyMap<string, unknown>): SelectionScope['lookup'] =>
  (node: ValueNode) =>
    node.kind === Kind.VARIABLE ? variables.get(node.name.value) : 'value' in node ? node.value : undefined;
