import { getIntrospectionQuery, parse } from 'graphql';
import { expect, test } from 'vitest';
import { findExcess } from '../../../../src/server/guard/document-limits.ts';

const limits = { maxDepth: 4, maxAliases: 3, maxDirectives: 2 };
const excess = (source: string) => findExcess(parse(source), limits);

test.each([
  [
    'as deep as is taken with its fragments',
    '{ a { ...F } } fragment F on B { b { ...G } } fragment G on C { c { d } }',
  ],
  ['with a fragment that holds itself', '{ a { ...F } } fragment F on B { b { ...F } }'],
  ['that asks for the schema', getIntrospectionQuery()],
  ['with as many fields of one name as are taken', `{ ${'x '.repeat(300)} ${'y { w: z } '.repeat(3)} }`],
  ['with as many fragments in one place as are taken', `{ ${'...F '.repeat(100)} }`],
  ['as nested as is taken', `{ a(b: ${'['.repeat(495)}${']'.repeat(495)}) }`],
])('accepts a document %s', (_what, source) => {
  expect(excess(source)).toBeNull();
});

test.each([
  ['too deep', '{ a { b { c { d { e } } } } }', 'The document is 5 fields deep; the limit is 4.'],
  [
    'too deep by the last of many fragments',
    '{ ...A ...B } fragment A on Q { a } fragment B on Q { a { b { c { d { e } } } } }',
    'The document is 5 fields deep',
  ],
  ['with too many aliases', '{ a: x b: x c: x d: x }', 'The document has 4 aliases; the limit is 3.'],
  [
    'with too many directives in places of all kinds',
    'query ($v: Int @a) @b { ... @c { x } }',
    'The document has 3 directives',
  ],
  [
    'with one name too often by an alias and in fragments',
    `{ ${'x '.repeat(299)} x: y ...F } fragment F on B { x }`,
    'The document has `x` 301 times',
  ],
  [
    'with one object too often',
    `{ ${'a { b } '.repeat(101)} }`,
    'The document has `a` 101 times; the limit is 100',
  ],
  [
    'with too many fragments in one place',
    `{ ${'...F '.repeat(101)} }`,
    'The document spreads 101 fragments in one selection set; the limit is 100.',
  ],
  [
    'with a value too deep',
    `{ a(b: ${'['.repeat(496)}${']'.repeat(496)}) }`,
    'The document is nested too deeply.',
  ],
  [
    'with a type too deep',
    `query ($a: ${'['.repeat(500)}I${']'.repeat(500)}) { a }`,
    'The document is nested too deeply.',
  ],
])('rejects a document %s', (_what, source, message) => {
  expect(excess(source)).toContain(message);
});

test('nested fragments that expand a million times are checked in linear time', () => {
  const fragments = Array.from(
    { length: 500 },
    (_, at) => `fragment F${at} on Q { ...F${at + 1} ...F${at + 1} }`,
  );

  expect(excess(`{ ...F0 } ${fragments.join(' ')} fragment F500 on Q { a }`)).toBeNull();
});
