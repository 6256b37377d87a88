import { type OperationDefinitionNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import { countFields } from '../../../../src/server/execution/compiler.ts';

function count(source: string): number {
  const document = parse(source);
  return countFields(document, document.definitions[0] as OperationDefinitionNode);
}

test.each([
  ['{ a }', 1],
  ['{ a { b c } d }', 4],
  ['{ a { ... on T { b } ... { c } } }', 3],
  ['{ ...F ...F } fragment F on Query { a { b } }', 4],
  ['{ ...Unknown }', 0],
])('%s has %i fields', (source, fields) => {
  expect(count(source)).toBe(fields);
});

test('nested fragments are counted without being expanded', () => {
  const levels = Array.from(
    { length: 60 },
    (_, level) => `fragment F${level} on Query { a: x { ...F${level + 1} } b: x { ...F${level + 1} } }`,
  );

  expect(count(`{ ...F0 } ${levels.join(' ')} fragment F60 on Query { y }`)).toBeGreaterThan(2 ** 60);
});

test('terminates for fragment cycles, which validation rejects', () => {
  expect(count('{ ...A } fragment A on Query { a ...B } fragment B on Query { b ...A }')).toBe(2);
});
