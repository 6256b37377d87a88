import { getIntrospectionQuery, parse } from 'graphql';
import { expect, test } from 'vitest';
import { excessOf } from '../../../src/server/document-limits.ts';

const limits = { maxDepth: 4, maxAliases: 3, maxDirectives: 2 };
const excess = (source: string) => excessOf(parse(source), limits);

test.each([
  ['as deep as is taken', '{ a { b { c { d } } } }'],
  ['deeper by inline fragments alone', '{ ... { a { ... on B { b { c { ... { d } } } } } } }'],
  [
    'as deep as is taken with its fragments',
    '{ a { ...F } } fragment F on B { b { ...G } } fragment G on C { c { d } }',
  ],
  ['with a fragment that nobody spreads', '{ a } fragment F on B { a { b { c { d { e } } } } }'],
  ['with a fragment that holds itself', '{ a { ...F } } fragment F on B { b { ...F } }'],
  [
    'with fragments that hold each other',
    '{ ...F } fragment F on B { a { ...G } } fragment G on B { a { ...F } }',
  ],
  ['that asks for the schema', getIntrospectionQuery()],
  ['with as many aliases as are taken', '{ a: x b: x c: x }'],
  ['with as many directives as are taken', 'query @a { x @b }'],
])('a document %s is taken', (_what, source) => {
  expect(excess(source)).toBeNull();
});

test.each([
  ['too deep', '{ a { b { c { d { e } } } } }', 'The document is 5 fields deep; 4 are taken at most.'],
  [
    'too deep in its second operation',
    'query A { a } query B { a { b { c { d { e } } } } }',
    'The document is 5 fields deep',
  ],
  [
    'too deep by a fragment',
    '{ a { b { ...F } } } fragment F on B { c { d { e } } }',
    'The document is 5 fields deep',
  ],
  [
    'too deep by the last of many fragments',
    '{ ...A ...B } fragment A on Q { a } fragment B on Q { a { b { c { d { e } } } } }',
    'The document is 5 fields deep',
  ],
  ['with too many aliases', '{ a: x b: x c: x d: x }', 'The document has 4 aliases; 3 are taken at most.'],
  [
    'with too many aliases of __typename',
    '{ a: __typename b: __typename c: __typename d: __typename }',
    'The document has 4 aliases',
  ],
  [
    'with too many aliases in its fragments',
    '{ a: x ...F } fragment F on B { b: x c: x d: x }',
    'The document has 4 aliases',
  ],
  ['with too many directives', '{ x @a @b @c }', 'The document has 3 directives; 2 are taken at most.'],
  [
    'with too many directives in places of all kinds',
    'query ($v: Int @a) @b { ... @c { x } }',
    'The document has 3 directives',
  ],
])('a document %s has too much of it', (_what, source, message) => {
  expect(excess(source)).toContain(message);
});

test('fragments that spread each other a million times over are looked at once', () => {
  const fragments = Array.from(
    { length: 500 },
    (_, at) => `fragment F${at} on Q { ...F${at + 1} ...F${at + 1} }`,
  );

  expect(excess(`{ ...F0 } ${fragments.join(' ')} fragment F500 on Q { a }`)).toBeNull();
});
