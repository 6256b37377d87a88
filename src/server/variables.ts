import {
  type GraphQLInputType,
  type GraphQLSchema,
  getVariableValues,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from 'graphql';
import type { Values } from './literals.ts';

export type CoercedVariables = ReturnType<typeof getVariableValues>;

/** Coerces a value that is not null; undefined where it does not fit. Throws where a scalar refuses it. */
type Coerce = (value: unknown) => unknown;

interface Variable {
  readonly name: string;
  readonly isNonNull: boolean;
  readonly fallback: unknown;
  readonly coerce: Coerce;
}

// Of the faults of variables so many are told: the last of them says that there are more.
const maxFaults = 5;

/**
 * Coerces the variables of requests as graphql-js does, which finds out anew for each request what the types of an
 * operation are. Where a value does not fit, graphql-js is asked, and says why.
 */
export function createVariableCoercion(schema: GraphQLSchema) {
  const byType = new Map<GraphQLInputType, Coerce>();
  const byOperation = new WeakMap<OperationDefinitionNode, readonly Variable[] | null>();

  const coercionOf = (type: GraphQLInputType): Coerce => {
    const known = byType.get(type);
    if (known) return known;
    const coerce = createCoercion(type, coercionOf);
    byType.set(type, coerce);
    return coerce;
  };

  const variablesOf = (operation: OperationDefinitionNode): readonly Variable[] | null => {
    const variables: Variable[] = [];
    for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
      const type = typeFromAST(schema, node as never) as GraphQLInputType | undefined;
      if (!isInputType(type)) return null;
      const isNonNull = isNonNullType(type);
      const fallback = defaultValue && valueFromAST(defaultValue, type);
      variables.push({ name: variable.name.value, isNonNull, fallback, coerce: coercionOf(type) });
    }
    return variables;
  };

  return (operation: OperationDefinitionNode, given: Values): CoercedVariables => {
    let variables = byOperation.get(operation);
    if (variables === undefined) {
      variables = variablesOf(operation);
      byOperation.set(operation, variables);
    }
    const coerced = variables && coerceAll(variables, given);
    if (coerced) return { coerced };
    return getVariableValues(schema, operation.variableDefinitions ?? [], given, {
      maxErrors: maxFaults - 1,
      hideSuggestions: true,
    });
  };
}

/** Null where a value does not fit. */
function coerceAll(variables: readonly Variable[], given: Values): Record<string, unknown> | null {
  const coerced: Record<string, unknown> = {};
  try {
    for (const { name, isNonNull, fallback, coerce } of variables) {
      if (!Object.hasOwn(given, name)) {
        if (fallback !== undefined) coerced[name] = fallback;
        else if (isNonNull) return null;
        continue;
      }
      const value = given[name];
      const fitting = value === null && !isNonNull ? null : coerce(value);
      if (fitting === undefined) return null;
      coerced[name] = fitting;
    }
  } catch {
    return null;
  }
  return coerced;
}

function createCoercion(type: GraphQLInputType, coercionOf: (type: GraphQLInputType) => Coerce): Coerce {
  if (isNonNullType(type)) {
    const coerce = coercionOf(type.ofType);
    return (value) => (value === null || value === undefined ? undefined : coerce(value));
  }
  if (isListType(type)) return createListCoercion(type.ofType, coercionOf);
  // Few of them are on hot paths: their fields, defaults and exclusions are left to graphql-js.
  if (isInputObjectType(type)) return () => undefined;
  return (value) => (value === null ? null : type.parseValue(value));
}

function createListCoercion(
  itemType: GraphQLInputType,
  coercionOf: (type: GraphQLInputType) => Coerce,
): Coerce {
  const coerce = coercionOf(itemType);
  return (value) => {
    if (value === null || !Array.isArray(value)) return undefined;
    const items: unknown[] = [];
    for (const item of value) {
      const fitting = item === null && !isNonNullType(itemType) ? null : coerce(item);
      if (fitting === undefined) return undefined;
      items.push(fitting);
    }
    return items;
  };
}
