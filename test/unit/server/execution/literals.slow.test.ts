import fc from 'fast-check';
import {
  buildSchema,
  type GraphQLInputType,
  parseType,
  parseValue,
  typeFromAST,
  valueFromAST,
} from 'graphql';
import { expect, test } from 'vitest';
import { createLiteralReader } from '../../../../src/server/execution/literals.ts';

const schema = buildSchema(`
  type Query { a: Int }
  enum Kind { ONE TWO }
  input Inner { n: Int! = 7, kinds: [Kind!], must: String!, more: Inner }
  input Pick @oneOf { a: Int, b: String }
`);
const types = [
  'Int',
  'Int!',
  '[Int]',
  '[Int!]!',
  '[[Int]]',
  'Inner',
  'Inner!',
  '[Inner!]',
  'Pick',
  'Kind',
].map((text) => typeFromAST(schema, parseType(text) as never) as GraphQLInputType);

const literal: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('1', 'null', '"x"', 'ONE', '$a', '$b', '$none', '$list'),
    fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(', ')}]`),
    fc
      .uniqueArray(fc.constantFrom('n', 'kinds', 'must', 'more', 'a', 'b'), { maxLength: 4 })
      .chain((names) => fc.tuple(...names.map((name) => tie('value').map((value) => `${name}: ${value}`))))
      .map((fields) => `{${fields.join(', ')}}`),
  ),
})).value;

test('reads a literal with variables as graphql-js does, whatever its type', () => {
  fc.assert(
    fc.property(literal, fc.constantFrom(...types), fc.boolean(), (text, type, isNull) => {
      const variables = { a: 1, b: isNull ? null : 'ONE', list: [1] };
      const node = parseValue(text);

      expect(createLiteralReader(node, type)(variables)).toEqual(valueFromAST(node, type, variables));
    }),
    { numRuns: 5_000 },
  );
});
