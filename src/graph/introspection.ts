import { __Type, type GraphQLField, type GraphQLSchema, SchemaMetaFieldDef, TypeMetaFieldDef } from 'graphql';

const introspectedSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** Makes introspection of one schema describe another, such as one without the fields and types of federation. */
export function introspectAs(schema: GraphQLSchema, described: GraphQLSchema): void {
  introspectedSchemas.set(schema, described);
}

/** Returns the schema that introspection of a schema describes. */
export const getIntrospectedSchema = (schema: GraphQLSchema): GraphQLSchema =>
  introspectedSchemas.get(schema) ?? schema;

// graphql-js has one definition of each of these fields for all schemas. They are the ones that read the schema
// being executed: all others read a type or field that one of them has returned.
for (const field of [SchemaMetaFieldDef, TypeMetaFieldDef, __Type.getFields().possibleTypes])
  if (field) describeIntrospectedSchema(field);

function describeIntrospectedSchema(field: GraphQLField<unknown, unknown>): void {
  const { resolve } = field;
  field.resolve = (source, args, context, info) =>
    resolve?.(source, args, context, { ...info, schema: getIntrospectedSchema(info.schema) });
}
