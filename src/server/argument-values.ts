import { Kind, type OperationDefinitionNode, type ValueNode, valueFromASTUntyped, visit } from 'graphql';

export type Variables = Readonly<Record<string, unknown>>;
/** The value of an argument by the variables of a request. */
export type Value = (variables: Variables) => unknown;

/** What an argument is given: a literal is read once, a variable has its default where the request leaves it out. */
export function createValue(
  node: ValueNode | undefined,
  { variableDefinitions }: OperationDefinitionNode,
): Value {
  if (!node) return () => undefined;
  if (node.kind === Kind.VARIABLE) {
    const name = node.name.value;
    const fallback = variableDefinitions?.find(({ variable }) => variable.name.value === name)?.defaultValue;
    const usual = fallback && valueFromASTUntyped(fallback);
    return (variables) => (variables[name] === undefined ? usual : variables[name]);
  }
  let hasVariables = false;
  visit(node, {
    Variable: () => {
      hasVariables = true;
    },
  });
  if (hasVariables) return (variables) => valueFromASTUntyped(node, variables);
  const value = valueFromASTUntyped(node);
  return () => value;
}
