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

/** Coerced values by variable name. */
export type CoercedValues = Readonly<Record<string, unknown>>;

/** Reads a literal, with the variables it contains; undefined if it does not match its type. */
export type ReadLiteral = (variables: CoercedValues) => unknown;

/** Whether a literal contains variables. */
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
 * Returns what graphql-js's `valueFromAST` returns, with everything precomputed that is the same for every
 * request. Parts without variables are coerced once, and frozen because requests share them.
 */
export function createLiteralReader(node: ValueNode, type: GraphQLInputType): ReadLiteral {
  if (node.kind === Kind.VARIABLE) return createVariableReader(node.name.value, isNonNullType(type));
  if (!hasVariables(node)) {
    const value = deepFreeze(valueFromAST(node, type));
    return () => value;
  }
  if (isNonNullType(type)) return createLiteralReader(node, type.ofType);
  if (isListType(type)) return createListReader(node, type.ofType);
  if (isInputObjectType(type) && node.kind === Kind.OBJECT && !type.isOneOf)
    return createObjectReader(node, type);
  return (variables) => valueFromAST(node, type, variables);
}

function createVariableReader(name: string, isNonNull: boolean): ReadLiteral {
  return (variables) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return value === null && isNonNull ? undefined : value;
  };
}

function createListReader(node: ValueNode, itemType: GraphQLInputType): ReadLiteral {
  const nodes = node.kind === Kind.LIST ? node.values : [node];
  const items = nodes.map((item) => ({
    read: createLiteralReader(item, itemType),
    // In a list, an absent variable is null.
    mayBeAbsent: node.kind === Kind.LIST && item.kind === Kind.VARIABLE && !isNonNullType(itemType),
  }));
  return (variables) => {
    const values: unknown[] = [];
    for (const { read, mayBeAbsent } of items) {
      const value = read(variables);
      if (value === undefined && !mayBeAbsent) return undefined;
      values.push(value ?? null);
    }
    return values;
  };
}

function createObjectReader(
  { fields: nodes }: ObjectValueNode,
  type: GraphQLInputType & {
    getFields(): Record<string, { type: GraphQLInputType; defaultValue?: unknown }>;
  },
): ReadLiteral {
  const fields = Object.entries(type.getFields()).map(([name, field]) => {
    const node = nodes.find((given) => given.name.value === name)?.value;
    return {
      name,
      read: node ? createLiteralReader(node, field.type) : () => undefined,
      // In an object, an absent variable means an absent field.
      mayBeAbsent: !node || node.kind === Kind.VARIABLE,
      nonNullVariable: node?.kind === Kind.VARIABLE && isNonNullType(field.type) ? node.name.value : null,
      isRequired: isNonNullType(field.type),
      fallback: field.defaultValue,
    };
  });
  return (variables) => {
    const values: Record<string, unknown> = Object.create(null);
    for (const { name, read, mayBeAbsent, nonNullVariable, isRequired, fallback } of fields) {
      const value = read(variables);
      if (value !== undefined) values[name] = value;
      else if (!mayBeAbsent || (nonNullVariable !== null && variables[nonNullVariable] === null))
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
