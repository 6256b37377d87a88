import fc from 'fast-check';
import { buildSchema, getVariableValues, type OperationDefinitionNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createVariableCoercion } from '../../../../src/server/execution/variable-coercion.ts';

const schema = buildSchema(`
  type Query { a: Int }
  enum Kind { ONE TWO }
  input Inner { n: Int! = 7, kinds: [Kind!], more: Inner }
`);
const coerce = createVariableCoercion(schema, false);
const definitions = [
  '$v: Int',
  '$v: Int!',
  '$v: Int = 3',
  '$v: Int! = 3',
  '$v: [Int!]',
  '$v: [[Kind]!]!',
  '$v: ID',
]
  .concat([
    '$v: Boolean! = true',
    '$v: Inner',
    '$v: [Inner!] = [{}]',
    '$v: String = null',
    '$v: Query',
    '$v: None',
  ])
  .map((text) => parse(`query (${text}, $other: Float = 1) { a }`).definitions[0] as OperationDefinitionNode);
const value = fc.oneof(
  fc.constantFrom(1, 2 ** 40, 1.5, 'ONE', 'x', '', true, null, undefined, {}, { n: 1 }, { n: null, x: 1 }),
  fc.array(fc.oneof(fc.constantFrom(1, 'TWO', null, undefined), fc.array(fc.constantFrom('ONE', null)))),
);
const given = fc.oneof(
  value.map((v) => ({ v })),
  fc.constantFrom({}, { other: 2.5 }, { v: 1, unknown: 1 }),
);

test('coerces variables as graphql-js does, with its error messages', () => {
  fc.assert(
    fc.property(fc.constantFrom(...definitions), given, (operation, variables) => {
      const options = { maxErrors: 4, hideSuggestions: true };
      const expected = getVariableValues(schema, operation.variableDefinitions ?? [], variables, options);

      expect(JSON.stringify(coerce(operation, variables))).toBe(JSON.stringify(expected));
      expect(coerce(operation, variables)).toEqual(expected);
    }),
    { numRuns: 3_000 },
  );
});
