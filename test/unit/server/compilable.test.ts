import { buildSchema, type OperationDefinitionNode, parse, print } from 'graphql';
import { expect, test } from 'vitest';
import { compilable } from '../../../src/server/compilable.ts';

const schema = buildSchema(`
  type Query { a(filter: Filter, plain: Plain, kinds: [Kind!], id: ID): Int }
  enum Kind { ONE }
  input Plain { id: ID }
  input Filter { not: Filter }
`);

function forCompiler(text: string): string | undefined {
  const document = parse(text);
  const operation = document.definitions[0] as OperationDefinitionNode;
  const changed = compilable(schema, document, operation);
  if (changed === null) return 'nothing';
  return changed === document ? 'the same' : print(changed).split('\n')[0];
}

test.each([
  ['{ a }', 'the same'],
  ['query ($id: ID!, $kind: Kind, $yes: Boolean! = true) { a(id: $id) }', 'the same'],
  ['query ($id: Nothing) { a(id: $id) }', 'the same'],
  ['query ($plain: Plain = {}) { a(plain: $plain) }', 'query ($plain: JSON) {'],
  ['query ($filter: Filter!) { a(filter: $filter) }', 'query ($filter: JSON) {'],
  ['query ($id: ID!, $kinds: [Kind!]!) { a }', 'query ($id: ID!, $kinds: JSON) {'],
  ['{ a ...F ...F } fragment F on Query { a }', 'the same'],
  ['query ($yes: Boolean!) { ...F @include(if: $yes) } fragment F on Query { a }', 'the same'],
  ['query ($yes: Boolean!) { ...F @include(if: $yes) ...F } fragment F on Query { a }', 'nothing'],
  ['{ ...F } query B { ...F @skip(if: true) } fragment F on Query { a }', 'nothing'],
])('%s is for the compiler %s', (text, expected) => {
  expect(forCompiler(text)).toBe(expected);
});
