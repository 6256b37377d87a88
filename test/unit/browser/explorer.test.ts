import fc from 'fast-check';
import { getIntrospectionQuery, graphqlSync, type IntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import {
  findChange,
  findFollower,
  nameDocument,
  readHeaders,
  readOperations,
  readVariables,
} from '../../../browser/explorer/documents.js';
import { hideFederation } from '../../../browser/explorer/schema.js';
import { findNames } from '../../../browser/explorer/schema-view.js';
import { readLink } from '../../../browser/explorer/workspace.js';
import { createSchema } from '../../../src/app/schema/schema.ts';

const stop = 'mutation Stop($input: Stop!) { stop(input: $input) { operation { id } } }';
const watch = 'subscription Watch($id: ID!) { operationProgress(id: $id) { state } }';
const begun = { stop: { operation: { id: 'h1' } } };

const followerOf = (query: string, data: unknown) => {
  const operations = readOperations(query) ?? [];
  const [ran] = operations;
  return ran && findFollower(operations, ran, data);
};

test('a mutation that began an operation is followed by the subscription of its document', () => {
  expect(followerOf(`${stop} ${watch}`, begun)).toMatchObject({
    operation: { name: 'Watch' },
    variables: { id: 'h1' },
  });
});

test.for([
  ['a subscription with another variable', `${stop} ${watch.replaceAll('$id', '$handle')}`, begun],
  ['no subscription', stop, begun],
  ['no operation in the response', `${stop} ${watch}`, { stop: { operation: null } }],
  ['no data', `${stop} ${watch}`, null],
  ['an id that is no text', `${stop} ${watch}`, { stop: { operation: { id: 7 } } }],
  ['a query', `query Q { stop } ${watch}`, begun],
] as const)('with %s nothing follows', ([, query, data]) => {
  expect(followerOf(query, data)).toBeNull();
});

test('a document is named by its first operation with a name', () => {
  expect(nameDocument('fragment A on B { c } query { a } query Second { b }')).toBe('Second');
  expect(nameDocument('{ a }')).toBe('Untitled');
  expect(nameDocument('query Broken { ')).toBe('Untitled');
});

test('headers are lines, in any case of letters and with any blanks', () => {
  expect(readHeaders('\n Authorization:  Bearer a:b \nx-one:1\n')).toEqual({
    authorization: 'Bearer a:b',
    'x-one': '1',
  });
  expect(readHeaders('')).toEqual({});
  expect(() => readHeaders('a b: c')).toThrow('A header is written as "name: value".');
  expect(() => readHeaders('x-a: 日本')).toThrow('The value of the header x-a has a character');
});

test('variables are an object, and none where there is no text', () => {
  expect(readVariables(' ')).toEqual({});
  expect(readVariables('{"a":1}')).toEqual({ a: 1 });
  expect(() => readVariables('null')).toThrow('must be a JSON object');
  expect(() => readVariables('{')).toThrow('are not JSON');
  expect(readVariables('{"a":-1.5e3,"b":"12345678901234567890 \\" 1e400"}').a).toBe(-1500);
  for (const number of ['1e400', '12345678901234567890'])
    expect(() => readVariables(`{"a":[${number}]}`)).toThrow(`The number ${number} of the variables`);
});

test('a link has a query, and variables where it names them', () => {
  expect(readLink('#query=%7Ba%7D')).toEqual({ query: '{a}', variables: '{}' });
  expect(readLink('#/fleet')).toBeNull();
});

test('what federation adds is left out of the schema, and nothing else', () => {
  const schema = createSchema();
  const { data } = graphqlSync({ schema, source: getIntrospectionQuery() });
  const introspection = data as unknown as IntrospectionQuery;
  const hidden = hideFederation(introspection);

  const namesOf = ({ __schema: { types } }: IntrospectionQuery) => types.map(({ name }) => name);
  expect(
    namesOf(introspection)
      .filter((name) => !namesOf(hidden).includes(name))
      .sort(),
  ).toEqual(['_Any', '_Entity', '_Service'].filter((name) => namesOf(introspection).includes(name)));
  expect(JSON.stringify(hidden)).not.toMatch(/"_(entities|service|Any|Entity|Service)"|"(federation|link)__/);
});

test('a search finds types and fields, the nearest first', () => {
  const hits = findNames(createSchema(), 'salesorder');

  expect(hits[0]).toEqual({ type: 'SalesOrder', field: null });
  expect(hits.slice(1, 4)).toContainEqual({ type: 'Company', field: 'salesOrder' });
  expect(findNames(createSchema(), 'name')).toHaveLength(60);
  expect(findNames(createSchema(), 'no such name')).toEqual([]);
});

test('findChange finds the least that makes one text the other', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, text, text, (begin, before, after, end) => {
      const [one, other] = [begin + before + end, begin + after + end];
      const { from, to, insert } = findChange(one, other);
      expect(one.slice(0, from) + insert + one.slice(to)).toBe(other);
      expect(to - from).toBeLessThanOrEqual(before.length);
      expect(insert.length).toBeLessThanOrEqual(after.length);
    }),
  );
});
