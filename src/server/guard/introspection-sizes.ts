import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

export interface IntrospectionSizes {
  /** Types, fields, arguments, input fields and enum values. */
  readonly entries: number;
  /** The average length of an introspection list, by its type and field; 1 for other fields. */
  average(type: string, field: string): number;
}

/** Measures a schema: the averages multiply to the total number of entries. */
export function measureIntrospection(schema: GraphQLSchema): IntrospectionSizes {
  const types = Object.values(schema.getTypeMap());
  const directives = schema.getDirectives();
  const sum = (count: (type: GraphQLNamedType) => number) =>
    types.reduce((total, type) => total + count(type), 0);
  const fieldsOf = (type: GraphQLNamedType) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const fields = sum((type) => fieldsOf(type).length);
  const args = sum((type) => fieldsOf(type).reduce((total, field) => total + field.args.length, 0));
  const inputFields = sum((type) => (isInputObjectType(type) ? Object.keys(type.getFields()).length : 0));
  const enumValues = sum((type) => (isEnumType(type) ? type.getValues().length : 0));
  const averages: Readonly<Record<string, number>> = {
    '__Schema.types': types.length,
    '__Schema.directives': directives.length,
    '__Type.fields': fields / types.length,
    '__Type.inputFields': inputFields / types.length,
    '__Type.enumValues': enumValues / types.length,
    '__Type.interfaces': 0.1,
    '__Type.possibleTypes': 0.1,
    // Most types are named types, or one wrapper around one.
    '__Type.ofType': 0.5,
    '__Field.args': args / fields,
    '__Directive.args':
      directives.reduce((total, { args: own }) => total + own.length, 0) / directives.length,
  };
  return {
    entries: types.length + fields + args + inputFields + enumValues,
    average: (type, field) => averages[`${type}.${field}`] ?? 1,
  };
}
