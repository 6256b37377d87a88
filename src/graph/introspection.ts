import { __Type, type GraphQLField, type GraphQLSchema, SchemaMetaFieldDef, TypeMetaFieldDef } from 'graphql';
import { getOrCompute } from '../runtime/memo.ts';

const builders = new WeakMap<GraphQLSchema, () => GraphQLSchema>();
const built = new WeakMap<GraphQLSchema, GraphQLSchema>();

/**
 * Makes introspection of one schema describe another, such as one without the fields and types of federation. The other schema
 * is built at the first introspection.
 */
export function introspectAs(schema: GraphQLSchema, build: () => GraphQLSchema): void {
  builders.set(schema, build);
}

const getIntrospectedSchema = (schema: GraphQLSchema): GraphQLSchema =>
  getOrCompute(built, schema, () => builders.get(schema)?.() ?? schema);

// graphql-js shares the definitions of these fields among all schemas. Only these fields read the schema being executed; all
// other fields of introspection read a type or field that one of them has returned.
for (const field of [SchemaMetaFieldDef, TypeMetaFieldDef, __Type.getFields().possibleTypes])
  if (field) describeIntrospectedSchema(field);

function describeIntrospectedSchema(field: GraphQLField<unknown, unknown>): void {
  const { resolve } = field;
  field.resolve = (source, args, context, info) =>
    resolve?.(source, args, context, { ...info, schema: getIntrospectedSchema(info.schema) });
}
