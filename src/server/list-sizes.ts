import {
  type FieldNode,
  type GraphQLField,
  getNullableType,
  isListType,
  type OperationDefinitionNode,
} from 'graphql';
import { maxFirst } from '../graph/connection.ts';
import { countedAbove } from '../graph/row-types.ts';
import { createValue, type Value, type Variables } from './argument-values.ts';

// What hangs below a record comes in few rows: an order's lines.
const assumedSize = 10;

/** How many rows a field has for each row above it. */
export function createSize(
  { args, type }: GraphQLField<unknown, unknown>,
  node: FieldNode,
  operation: OperationDefinitionNode,
): (variables: Variables) => number {
  const argument = (name: string): Value | null => {
    const definition = args.find((arg) => arg.name === name);
    if (!definition) return null;
    const given = createValue(node.arguments?.find((arg) => arg.name.value === name)?.value, operation);
    return (variables) => given(variables) ?? definition.defaultValue;
  };
  const first = argument('first');
  // What is no number is refused before it is read.
  if (first) return (variables) => Math.max(0, Math.min(maxFirst, Number(first(variables)) || 0));
  const input = argument('input');
  if (input)
    return (variables) => lengthOf((input(variables) as { entries?: unknown } | null | undefined)?.entries);
  const isSized = isListType(getNullableType(type)) && !countedAbove.has(node.name.value);
  return () => (isSized ? assumedSize : 1);
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 1);
