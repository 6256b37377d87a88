import { buildSchema, type OperationDefinitionNode, parse, print } from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../../../src/schema.ts';
import { withoutRecursiveTypes } from '../../../src/server/recursive-input.ts';

const schema = buildSchema(`
  type Query { a(filter: Filter, plain: Plain, far: Far, id: ID): Int }
  input Plain { id: ID }
  input Filter { not: Filter }
  input Far { plain: Plain, filters: [Filter!]! }
`);
const compilable = (text: string, of = schema) => {
  const document = parse(text);
  const operation = document.definitions[0] as OperationDefinitionNode;
  const changed = withoutRecursiveTypes(of, document, operation);
  return changed === document ? 'the same' : print(changed).split('\n')[0];
};

test.each([
  ['{ a }', 'the same'],
  ['query ($id: ID!, $plain: Plain) { a(id: $id, plain: $plain) }', 'the same'],
  ['query ($id: Nothing) { a(id: $id) }', 'the same'],
  ['query ($filter: Filter = {}) { a(filter: $filter) }', 'query ($filter: JSON) {'],
  ['query ($id: ID!, $filters: [Filter!]!) { a }', 'query ($id: ID!, $filters: JSON) {'],
  ['query ($far: Far!) { a(far: $far) }', 'query ($far: JSON) {'],
])('%s is for the compiler %s', (text, expected) => {
  expect(compilable(text)).toBe(expected);
});

test('the filters of the graph are recursive, its orders and changes are not', () => {
  const graph = createSchema();
  const isChanged = (type: string) =>
    compilable(`query ($v: ${type}) { company { id } }`, graph) !== 'the same';

  expect(['CustomerFilter', 'SalesOrderFilter', 'AccountFilter'].filter(isChanged)).toHaveLength(3);
  expect(['[CustomerOrder!]', 'UpdateItemInput!', 'CreateSalesOrderInput!'].filter(isChanged)).toEqual([]);
});
