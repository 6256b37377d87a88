import {
  type DocumentNode,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isCompositeType,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/**
 * How many seconds the response to a valid document may be kept: the least `@cacheControl(maxAge:)` of the types that it
 * shows, and 0 where a type has none. Fields that `@skip` leaves out count, and so do all operations of the document.
 */
export function getMaxAge(schema: GraphQLSchema, document: DocumentNode): number {
  let least = Number.POSITIVE_INFINITY;
  const types = new TypeInfo(schema);
  const readField = () => {
    const field = types.getFieldDef();
    const type = getNamedType(types.getType());
    // A scalar is as old as its object, except that of an operation.
    const own = isCompositeType(type) ? hintOf(schema, type.name) : isRoot(schema, types) ? 0 : null;
    if (own !== null && field?.name !== '__typename') least = Math.min(least, own);
  };
  visit(document, visitWithTypeInfo(types, { Field: readField }));
  return Number.isFinite(least) ? least : 0;
}

const isRoot = (schema: GraphQLSchema, types: TypeInfo): boolean =>
  types.getParentType() === schema.getQueryType();

/** The age of a type in seconds; null to take that of the field above. */
function hintOf(schema: GraphQLSchema, typeName: string): number | null {
  const type = schema.getType(typeName);
  const definition = schema.getDirective('cacheControl');
  const hint = isObjectType(type)
    ? type.astNode?.directives?.find(({ name }) => name.value === definition?.name)
    : undefined;
  if (!definition || !hint) return 0;
  const { maxAge, inheritMaxAge } = getArgumentValues(definition, hint);
  return inheritMaxAge === true ? null : Number(maxAge ?? 0);
}
