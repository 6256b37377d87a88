import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';

/**
 * A document for the compiler, without the types of variables that can hold themselves, as filters do by `and`,
 * `or` and `not`; the same document where there are none.
 *
 * The compiler writes the types of variables out: of such a one it would do so without end, for seconds, and
 * fail. Variables of a document changed here must be checked by graphql-js before they get to compiled code.
 */
export function withoutRecursiveTypes(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): DocumentNode {
  const given = operation.variableDefinitions ?? [];
  const variableDefinitions = given.map((definition) =>
    isRecursive(schema, definition) ? untyped(definition) : definition,
  );
  if (variableDefinitions.every((definition, index) => definition === given[index])) return document;
  const changed = { ...operation, variableDefinitions };
  return { ...document, definitions: document.definitions.map((one) => (one === operation ? changed : one)) };
}

function isRecursive(schema: GraphQLSchema, { type: node }: VariableDefinitionNode): boolean {
  const type = typeFromAST(schema, node);
  return type !== undefined && holdsItself(getNamedType(type), []);
}

function holdsItself(type: GraphQLNamedType, above: readonly GraphQLNamedType[]): boolean {
  if (!isInputObjectType(type)) return false;
  if (above.includes(type)) return true;
  return Object.values(type.getFields()).some((field) =>
    holdsItself(getNamedType(field.type), [...above, type]),
  );
}

const untyped = ({ kind, variable }: VariableDefinitionNode): VariableDefinitionNode => ({
  kind,
  variable,
  type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'JSON' } },
});
