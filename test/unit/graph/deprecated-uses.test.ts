import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import { listDeprecatedUses } from '../../../src/graph/deprecated-uses.ts';

const schema = buildSchema(`
  directive @cut(length: Int @deprecated(reason: "")) on FIELD
  interface Named { name: String @deprecated }
  type Thing implements Named { name: String @deprecated code: Code fresh: String }
  enum Code { OLD @deprecated NEW }
  input Filter { code: Code was: String @deprecated inner: Filter }
  type Query { things(filter: Filter, codes: [Code!], legacy: Int @deprecated): [Thing] named: Named }
`);

const usesIn = (text: string, at = 0) => {
  const document = parse(text);
  return listDeprecatedUses(schema, text, document, document.definitions[at] as OperationDefinitionNode);
};

test.for<[string, string, readonly string[]]>([
  ['a field', '{ things { name fresh } }', ['Thing.name']],
  ['a field of an interface', '{ named { name } }', ['Named.name']],
  ['a field in a fragment', '{ things { ...T } } fragment T on Thing { name }', ['Thing.name']],
  ['one that is named twice', '{ a: things { name } things { name } }', ['Thing.name']],
  ['an argument', '{ things(legacy: 1) { fresh } }', ['Query.things(legacy:)']],
  ['an input field', '{ things(filter: { inner: { was: "x" } }) { fresh } }', ['Filter.was']],
  ['an enum value', '{ things(filter: { code: OLD }) { fresh } }', ['Code.OLD']],
  ['an enum value in a list', '{ things(codes: [NEW, OLD]) { fresh } }', ['Code.OLD']],
  [
    'an enum value as a default',
    'query ($c: Code = OLD) { things(filter: { code: $c }) { fresh } }',
    ['Code.OLD'],
  ],
  ['an alias of its name', '{ name: named { __typename } things { fresh } }', []],
  ['none', '{ things(filter: { code: NEW }) { fresh code } }', []],
  ['an argument of a directive', '{ things { fresh @cut(length: 3) } }', []],
])('%s', ([, text, uses]) => {
  expect(usesIn(text)).toEqual(uses);
});

test('another operation of the document counts for itself', () => {
  const text = 'query A { things { name } } query B { things { fresh } }';
  expect([usesIn(text, 0), usesIn(text, 1)]).toEqual([['Thing.name'], []]);
});
