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
import type { CoercedValues } from './literals.ts';

export type CoerceRequestVariables = (
  operation: OperationDefinitionNode,
  values: CoercedValues,
) => ReturnType<typeof getVariableValues>;

/** Coerces a non-null value. Returns undefined if it does not match; throws if a scalar rejects it. */
type CoerceValue = (value: unknown) => unknown;

interface VariableCoercion {
  readonly name: string;
  readonly isNonNull: boolean;
  readonly fallback: unknown;
  readonly coerce: CoerceValue;
}

// Number of reported errors; the last one says that there are more.
const maxVariableErrors = 5;

/**
 * Coerces variables as graphql-js does, but resolves the types of an operation's variables only once. When a
 * value does not match, graphql-js is called to produce the error messages. `suggestsNames` says whether these
 * suggest names from the schema.
 */
export function createVariableCoercion(
  schema: GraphQLSchema,
  suggestsNames: boolean,
): CoerceRequestVariables {
  const byType = new Map<GraphQLInputType, CoerceValue>();
  const byOperation = new WeakMap<OperationDefinitionNode, readonly VariableCoercion[] | null>();

  const coercionOf = (type: GraphQLInputType): CoerceValue => {
    const cached = byType.get(type);
    if (cached) return cached;
    const coerce = createCoercion(type, coercionOf);
    byType.set(type, coerce);
    return coerce;
  };

  const variablesOf = (operation: OperationDefinitionNode): readonly VariableCoercion[] | null => {
    const variables: VariableCoercion[] = [];
    for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
      const type = typeFromAST(schema, node as never) as GraphQLInputType | undefined;
      if (!isInputType(type)) return null;
      const isNonNull = isNonNullType(type);
      const fallback = defaultValue && valueFromAST(defaultValue, type);
      variables.push({ name: variable.name.value, isNonNull, fallback, coerce: coercionOf(type) });
    }
    return variables;
  };

  return (operation, values) => {
    let variables = byOperation.get(operation);
    if (variables === undefined) {
      variables = variablesOf(operation);
      byOperation.set(operation, variables);
    }
    const coerced = variables && coerceVariables(variables, values);
    if (coerced) return { coerced };
    return getVariableValues(schema, operation.variableDefinitions ?? [], values, {
      maxErrors: maxVariableErrors - 1,
      hideSuggestions: !suggestsNames,
    });
  };
}

/** Returns null if a value does not match. */
function coerceVariables(
  variables: readonly VariableCoercion[],
  values: CoercedValues,
): Record<string, unknown> | null {
  const coerced: Record<string, unknown> = {};
  try {
    for (const { name, isNonNull, fallback, coerce } of variables) {
      if (!Object.hasOwn(values, name)) {
        if (fallback !== undefined) coerced[name] = fallback;
        else if (isNonNull) return null;
        continue;
      }
      const value = values[name];
      const coercedValue = value === null && !isNonNull ? null : coerce(value);
      if (coercedValue === undefined) return null;
      coerced[name] = coercedValue;
    }
  } catch {
    return null;
  }
  return coerced;
}

function createCoercion(
  type: GraphQLInputType,
  coercionOf: (type: GraphQLInputType) => CoerceValue,
): CoerceValue {
  if (isNonNullType(type)) {
    const coerce = coercionOf(type.ofType);
    return (value) => (value === null || value === undefined ? undefined : coerce(value));
  }
  if (isListType(type)) return createListCoercion(type.ofType, coercionOf);
  // Left to graphql-js: input objects have fields, defaults and `@oneOf`, and are rarely on a hot path.
  if (isInputObjectType(type)) return () => undefined;
  return (value) => (value === null ? null : type.parseValue(value));
}

function createListCoercion(
  itemType: GraphQLInputType,
  coercionOf: (type: GraphQLInputType) => CoerceValue,
): CoerceValue {
  const coerce = coercionOf(itemType);
  return (value) => {
    if (value === null || !Array.isArray(value)) return undefined;
    const items: unknown[] = [];
    for (const item of value) {
      const coercedValue = item === null && !isNonNullType(itemType) ? null : coerce(item);
      if (coercedValue === undefined) return undefined;
      items.push(coercedValue);
    }
    return items;
  };
}
