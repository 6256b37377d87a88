import {
  type DocumentNode,
  type GraphQLSchema,
  isLeafType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  visit,
} from 'graphql';

/**
 * A document for the compiler, without the types of variables that are lists or input objects; the same document
 * where there are none; null where the compiler would get it wrong.
 *
 * It writes those types out: code of 50 kB for an order and its lines, which finds a hundred thousand faults in a list
 * that has as many, and code without end for a filter, which can hold itself by `and`, `or` and `not`. Variables of a
 * document changed here must be checked by graphql-js before they get to compiled code.
 *
 * And it notes `@skip` and `@include` at the fields themselves: of a fragment in two places the conditions of the one
 * would hold in the other.
 */
export function compilable(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): DocumentNode | null {
  if (sharesConditions(document)) return null;
  const given = operation.variableDefinitions ?? [];
  const variableDefinitions = given.map((definition) =>
    isWrittenOut(schema, definition) ? untyped(definition) : definition,
  );
  if (variableDefinitions.every((definition, index) => definition === given[index])) return document;
  const changed = { ...operation, variableDefinitions };
  return { ...document, definitions: document.definitions.map((one) => (one === operation ? changed : one)) };
}

function sharesConditions(document: DocumentNode): boolean {
  const spread = new Set<string>();
  let isShared = false;
  let isConditional = false;
  visit(document, {
    FragmentSpread({ name }) {
      isShared ||= spread.has(name.value);
      spread.add(name.value);
    },
    Directive() {
      isConditional = true;
    },
  });
  return isShared && isConditional;
}

function isWrittenOut(schema: GraphQLSchema, { type: node }: VariableDefinitionNode): boolean {
  const type = typeFromAST(schema, node);
  if (type === undefined) return false;
  return !isLeafType(isNonNullType(type) ? type.ofType : type);
}

const untyped = ({ kind, variable }: VariableDefinitionNode): VariableDefinitionNode => ({
  kind,
  variable,
  type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'JSON' } },
});
