import { Kind, type OperationDefinitionNode, type ValueNode, valueFromASTUntyped, visit } from 'graphql';

export type RequestVariables = Readonly<Record<string, unknown>>;
/** Reads an argument's value from the variables of a request. */
export type ReadArgument = (variables: RequestVariables) => unknown;

/**
 * Creates a reader of an argument's value. A literal is read once; an absent variable has its default value.
 */
export function createArgumentReader(
  node: ValueNode | undefined,
  { variableDefinitions }: OperationDefinitionNode,
): ReadArgument {
  if (!node) return () => undefined;
  if (node.kind === Kind.VARIABLE) {
    const name = node.name.value;
    const defaultNode = variableDefinitions?.find(
      ({ variable }) => variable.name.value === name,
    )?.defaultValue;
    const defaultValue = defaultNode && valueFromASTUntyped(defaultNode);
    return (variables) => (variables[name] === undefined ? defaultValue : variables[name]);
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
