import {
  type FieldNode,
  type GraphQLField,
  getNullableType,
  isListType,
  type OperationDefinitionNode,
} from 'graphql';
import { maxFirst } from '../../graph/relay-connection.ts';
import { fieldsCountedWithParent } from '../../graph/row-types.ts';
import { createArgumentReader, type ReadArgument, type RequestVariables } from './argument-values.ts';

/** How many objects a list without `first` is taken to have, such as the lines of an order. */
const assumedListSize = 10;

/** Creates a function that returns the number of rows of a field for each parent row. */
export function createListSize(
  { args, type }: GraphQLField<unknown, unknown>,
  node: FieldNode,
  operation: OperationDefinitionNode,
): (variables: RequestVariables) => number {
  const readArgument = (name: string): ReadArgument | null => {
    const definition = args.find((arg) => arg.name === name);
    if (!definition) return null;
    const readGiven = createArgumentReader(
      node.arguments?.find((arg) => arg.name.value === name)?.value,
      operation,
    );
    return (variables) => readGiven(variables) ?? definition.defaultValue;
  };
  const readFirst = readArgument('first');
  // Values that are not numbers are rejected later.
  if (readFirst) return (variables) => Math.max(0, Math.min(maxFirst, Number(readFirst(variables)) || 0));
  const readInput = readArgument('input');
  if (readInput)
    return (variables) =>
      countEntries((readInput(variables) as { entries?: unknown } | null | undefined)?.entries);
  const isSized = isListType(getNullableType(type)) && !fieldsCountedWithParent.has(node.name.value);
  return () => (isSized ? assumedListSize : 1);
}

const countEntries = (value: unknown): number => (Array.isArray(value) ? value.length : 1);
