import {
  type DocumentNode,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** A JSON Schema (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON Schema of a tool's arguments. */
export type InputSchema = JsonSchema & { readonly type: 'object' };

/**
 * Describes the variables of an operation: input objects and enums once each under `$defs`, custom scalars as strings.
 * Descriptions are those of the variables, or of the arguments that they are passed to.
 */
export function createInputSchema(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): InputSchema {
  const definitions = new Map<string, JsonSchema>();
  const descriptions = describeVariables(schema, document);
  const required: string[] = [];
  const properties = (operation.variableDefinitions ?? []).map((definition) => {
    const name = definition.variable.name.value;
    // Validation has found an input type.
    const type = typeFromAST(
      schema,
      definition.type as Parameters<typeof typeFromAST>[1],
    ) as GraphQLInputType;
    if (isNonNullType(type) && !definition.defaultValue) required.push(name);
    const description = definition.description?.value.trim() ?? descriptions.get(name);
    return [
      name,
      {
        ...describeType(type, definitions),
        ...(description && { description }),
        ...describeDefault({ type, defaultValue: valueFromAST(definition.defaultValue, type) }),
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

/** The descriptions of the arguments that variables are passed to, by the variables' names. */
function describeVariables(schema: GraphQLSchema, document: DocumentNode): ReadonlyMap<string, string> {
  const types = new TypeInfo(schema);
  const descriptions = new Map<string, string>();
  visit(
    document,
    visitWithTypeInfo(types, {
      Argument({ value }) {
        const description = types.getArgument()?.description;
        if (value.kind === Kind.VARIABLE && description && !descriptions.has(value.name.value))
          descriptions.set(value.name.value, description);
      },
    }),
  );
  return descriptions;
}

function describeType(type: GraphQLInputType, definitions: Map<string, JsonSchema>): JsonSchema {
  if (isNonNullType(type)) return describeNonNull(type.ofType, definitions);
  const described = describeNonNull(type, definitions);
  if (typeof described.type === 'string') return { ...described, type: [described.type, 'null'] };
  return '$ref' in described ? { anyOf: [described, { type: 'null' }] } : described;
}

function describeNonNull(
  type: Exclude<GraphQLInputType, { ofType: GraphQLInputType; kind?: never }> | GraphQLInputType,
  definitions: Map<string, JsonSchema>,
): JsonSchema {
  if (isListType(type)) return { type: 'array', items: describeType(type.ofType, definitions) };
  const named = type as GraphQLNamedInputType;
  if (!isInputObjectType(named) && !isEnumType(named)) return describeScalar(named);
  if (!definitions.has(named.name)) {
    // Input types may contain themselves.
    definitions.set(named.name, {});
    definitions.set(
      named.name,
      isEnumType(named)
        ? { type: 'string', ...describe(named), enum: named.getValues().map(({ name }) => name) }
        : describeInputObject(named, definitions),
    );
  }
  return { $ref: `#/$defs/${named.name}` };
}

function describeInputObject(type: GraphQLInputObjectType, definitions: Map<string, JsonSchema>): JsonSchema {
  const fields = Object.values(type.getFields());
  const required = fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
  const describeField = (field: GraphQLInputField): JsonSchema => {
    // A field of a one-of type is nullable, but its value is not. In a filter, null is the same as nothing for all others.
    const isValue = type.isOneOf || (isFilter(type) && !/^(eq|ne)(Raw)?$/.test(field.name));
    const schema = (isValue ? describeNonNull : describeType)(field.type, definitions);
    if (!isFilter(type) || !selfExplanatory.has(field.name))
      return { ...schema, ...describe(field), ...describeDefault(field) };
    const { description: _, ...withoutDescription } = schema;
    return withoutDescription;
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

// The name of every filter of the graph ends with this word.
const isFilter = (type: GraphQLInputType): boolean => isInputObjectType(type) && type.name.endsWith('Filter');

/**
 * Fields of filters whose names say what their descriptions do. Each tool that lists records repeats the filters of its
 * columns, and their descriptions would be a fifth of all schemas. What null finds is said by the filter as a whole.
 */
const selfExplanatory: ReadonlySet<string> = new Set(
  'and eq ne neRaw gt ge lt le in inRaw contains startsWith endsWith'.split(' '),
);

const describeDefault = ({
  defaultValue,
  type,
}: Pick<GraphQLInputField, 'defaultValue' | 'type'>): JsonSchema =>
  defaultValue === undefined ? {} : { default: toJson(defaultValue, type) };

/** A coerced value as JSON of its type: GraphQL also takes `5` for an ID, and one value for a list. */
function toJson(value: unknown, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return toJson(value, type.ofType);
  if (value === null) return null;
  if (isListType(type)) return (value as unknown[]).map((entry) => toJson(entry, type.ofType));
  if (!isInputObjectType(type)) return type.serialize(value);
  const fields = type.getFields();
  return Object.fromEntries(
    Object.entries(value as object).map(([name, field]) => [
      name,
      toJson(field, (fields[name] as GraphQLInputField).type),
    ]),
  );
}

const scalars: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  String: { type: 'string' },
  ID: { type: 'string' },
  SafeInt: { type: 'integer' },
};

function describeScalar(type: GraphQLNamedInputType): JsonSchema {
  const known = scalars[type.name];
  if (known) return known;
  // Any JSON value.
  if (type.name === 'JSON') return describe(type);
  return { type: 'string', ...describe(type) };
}

const describe = ({ description }: { readonly description?: string | null | undefined }): JsonSchema =>
  description ? { description } : {};
