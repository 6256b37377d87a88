import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { isCompilable } from '../../../../src/server/execution/compiler.ts';

test.each([
  '{ a }',
  '{ alias: a(id: $p0, filter: $p1) { b } ...F }  fragment F on Query { c ... on Query { d } }',
  'query ($p0: JSON, $p1: JSON) { a(id: $p0) b(id: $p1) }',
  '{ __schema { types { name } } __type(name: $p0) { fields { name } } __typename __isNode: __typename }',
  '{ __schema { ...T } } fragment T on __Schema { types { ... on __Type { name } } }',
  '{ a ...F ...F } fragment F on Query { a }',
])('allows code generation from %s', (text) => {
  expect(isCompilable(parse(text))).toBe(true);
});

test.each([
  ['a text', '{ a(id: "x") }'],
  ['a block string', '{ a(id: """x""") }'],
  ['a number', '{ a(id: 1) }'],
  ['a fraction', '{ a(id: 1.5) }'],
  ['a boolean', '{ a(id: true) }'],
  ['an enum value', '{ a(id: X) }'],
  ['null', '{ a(id: null) }'],
  ['a list', '{ a(id: [$p0]) }'],
  ['an object', '{ a(id: { b: $p0 }) }'],
  ['a variable that is no parameter', '{ a(id: $id) }'],
  ['a default', 'query ($p0: JSON = 1) { a }'],
  ['the type of a list', 'query ($p0: [JSON]) { a }'],
  ['a name of the operation', 'query A { a }'],
  ['a condition', 'query ($p0: JSON) { a @skip(if: $p0) }'],
  ['another directive', '{ a @other(if: $p0) }'],
  ['a directive of the operation', 'query @include(if: $p0) { a }'],
  ['a reserved alias', '{ __proto__: a }'],
  ['an alias with a _', '{ b_a: a }'],
  ['a reserved alias of a reserved field', '{ __context: __typename }'],
  ["an alias as Relay's of another field", '{ __isNode: a }'],
  ['a reserved field', '{ __context }'],
  ['a reserved type', '{ ... on __Context { a } }'],
  ['a reserved argument', '{ a(__proto__: $p0) }'],
  ['a reserved fragment', '{ ...__proto__ } fragment __proto__ on Query { a }'],
  ['a definition of a type', 'type Query { a: Int }'],
])('rejects code generation from a document with %s', (_what, text) => {
  expect(isCompilable(parse(text))).toBe(false);
});
