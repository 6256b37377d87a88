import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from 'graphql';

/** A JSON Schema (2020-12). */
type JsonSchema = Readonly<Record<string, unknown>>;

export type InputSchema = JsonSchema & { readonly type: 'object' };

/**
 * Describes the variables of a valid operation. Each input object and enum is described once under `$defs`; custom scalars
 * are strings.
 */
export function createInputSchema(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): InputSchema {
  const definitions = new Map<string, JsonSchema>();
  const required: string[] = [];
  const properties = variableDefinitions.map((definition) => {
    const name = definition.variable.name.value;
    const type = typeFromAST(
      schema,
      definition.type as Parameters<typeof typeFromAST>[1],
    ) as GraphQLInputType;
    if (isNonNullType(type) && !definition.defaultValue) required.push(name);
    return [
      name,
      {
        ...describeType(type, definitions),
        ...describe({ description: definition.description?.value }),
        ...describeDefault(valueFromAST(definition.defaultValue, type)),
      },
    ] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(definitions.size > 0 && { $defs: Object.fromEntries(definitions) }),
  };
}

function describeType(type: GraphQLInputType, definitions: Map<string, JsonSchema>): JsonSchema {
  if (isNonNullType(type)) return describeNonNull(type.ofType, definitions);
  const described = describeNonNull(type, definitions);
  if (typeof described.type === 'string') return { ...described, type: [described.type, 'null'] };
  return '$ref' in described ? { anyOf: [described, { type: 'null' }] } : described;
}

function describeNonNull(type: GraphQLInputType, definitions: Map<string, JsonSchema>): JsonSchema {
  if (isNonNullType(type)) return describeNonNull(type.ofType, definitions);
  if (isListType(type)) return { type: 'array', items: describeType(type.ofType, definitions) };
  if (!isInputObjectType(type) && !isEnumType(type))
    return builtInScalars[type.name] ?? { type: 'string', ...describe(type) };
  if (!definitions.has(type.name)) {
    // Input types may contain themselves.
    definitions.set(type.name, {});
    definitions.set(
      type.name,
      isEnumType(type)
        ? { type: 'string', ...describe(type), enum: type.getValues().map(({ name }) => name) }
        : describeInputObject(type, definitions),
    );
  }
  return { $ref: `#/$defs/${type.name}` };
}

function describeInputObject(type: GraphQLInputObjectType, definitions: Map<string, JsonSchema>): JsonSchema {
  const fields = Object.values(type.getFields());
  const required = fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
  const isFilter = type.name.endsWith('Filter');
  const isComparison = isFilter && fields.some(({ name }) => name === 'eq');
  // Every tool repeats its filters. The descriptions of operators, whose names are clear, would be a fifth of the text that
  // a model reads of the tools.
  const isSelfExplanatory = ({ name }: GraphQLInputField) => isComparison || (isFilter && name === 'and');
  const describeField = (field: GraphQLInputField): JsonSchema => {
    // The field of a one-of type is nullable, but its value is not. In a filter only `eq` and `ne` accept null.
    const rejectsNull = type.isOneOf || (isFilter && !/^(eq|ne)$/.test(field.name));
    return {
      ...(rejectsNull ? describeNonNull : describeType)(field.type, definitions),
      ...(!isSelfExplanatory(field) && describe(field)),
      ...describeDefault(field.defaultValue),
    };
  };
  return {
    type: 'object',
    ...describe(type),
    properties: Object.fromEntries(fields.map((field) => [field.name, describeField(field)])),
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
    ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }),
    additionalProperties: false,
  };
}

const builtInScalars: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer' },
  SafeInt: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  String: { type: 'string' },
  ID: { type: 'string' },
  // Any value.
  JSON: {},
};

const describe = ({ description }: { readonly description?: string | null | undefined }): JsonSchema =>
  description ? { description } : {};

const describeDefault = (value: unknown): JsonSchema => (value === undefined ? {} : { default: value });
