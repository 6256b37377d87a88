import {
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type ObjectValueNode,
  type ValueNode,
  valueFromAST,
  visit,
} from 'graphql';

/** Values by the names of variables, coerced by their types. */
export type Values = Readonly<Record<string, unknown>>;

/** Reads a literal with the variables inside it; undefined where it does not fit its type. */
export type ReadLiteral = (variables: Values) => unknown;

/** Whether a literal holds variables. */
export function hasVariables(node: ValueNode): boolean {
  let isFound = false;
  visit(node, {
    Variable() {
      isFound = true;
    },
  });
  return isFound;
}

/**
 * What `valueFromAST` of graphql-js gives, found out once for all that is the same for every request. Parts without
 * variables are coerced once and frozen, as requests share them.
 */
export function literalReader(node: ValueNode, type: GraphQLInputType): ReadLiteral {
  if (node.kind === Kind.VARIABLE) return variableReader(node.name.value, isNonNullType(type));
  if (!hasVariables(node)) {
    const value = deepFreeze(valueFromAST(node, type));
    return () => value;
  }
  if (isNonNullType(type)) return literalReader(node, type.ofType);
  if (isListType(type)) return listReader(node, type.ofType);
  if (isInputObjectType(type) && node.kind === Kind.OBJECT && !type.isOneOf) return objectReader(node, type);
  return (variables) => valueFromAST(node, type, variables);
}

function variableReader(name: string, isNonNull: boolean): ReadLiteral {
  return (variables) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return value === null && isNonNull ? undefined : value;
  };
}

function listReader(node: ValueNode, itemType: GraphQLInputType): ReadLiteral {
  const nodes = node.kind === Kind.LIST ? node.values : [node];
  const items = nodes.map((item) => ({
    read: literalReader(item, itemType),
    // A variable that is absent is null in a list.
    absent: node.kind === Kind.LIST && item.kind === Kind.VARIABLE && !isNonNullType(itemType),
  }));
  return (variables) => {
    const values: unknown[] = [];
    for (const { read, absent } of items) {
      const value = read(variables);
      if (value === undefined && !absent) return undefined;
      values.push(value ?? null);
    }
    return values;
  };
}

function objectReader(
  { fields: nodes }: ObjectValueNode,
  type: GraphQLInputType & {
    getFields(): Record<string, { type: GraphQLInputType; defaultValue?: unknown }>;
  },
): ReadLiteral {
  const fields = Object.entries(type.getFields()).map(([name, field]) => {
    const node = nodes.find((one) => one.name.value === name)?.value;
    return {
      name,
      read: node ? literalReader(node, field.type) : () => undefined,
      // A variable that is absent is as if the field were.
      mayBeAbsent: !node || node.kind === Kind.VARIABLE,
      isNullRefused: node?.kind === Kind.VARIABLE && isNonNullType(field.type) ? node.name.value : null,
      isRequired: isNonNullType(field.type),
      fallback: field.defaultValue,
    };
  });
  return (variables) => {
    const values: Record<string, unknown> = Object.create(null);
    for (const { name, read, mayBeAbsent, isNullRefused, isRequired, fallback } of fields) {
      const value = read(variables);
      if (value !== undefined) values[name] = value;
      else if (!mayBeAbsent || (isNullRefused !== null && variables[isNullRefused] === null))
        return undefined;
      else if (fallback !== undefined) values[name] = fallback;
      else if (isRequired) return undefined;
    }
    return values;
  };
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const entry of Object.values(value)) deepFreeze(entry);
  return Object.freeze(value);
}
