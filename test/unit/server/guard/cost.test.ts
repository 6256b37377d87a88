import { getIntrospectionQuery, type OperationDefinitionNode, parse, print, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../../../src/app/schema/schema.ts';
import { createCostFunction } from '../../../../src/server/guard/cost.ts';

const schema = createSchema();

function costOf(source: string, variables: Readonly<Record<string, unknown>> = {}): number {
  const document = parse(source);
  expect(validate(schema, document)).toEqual([]);
  return createCostFunction(
    schema,
    document,
    document.definitions[0] as OperationDefinitionNode,
  )(variables, 50_000);
}

const customers = (page: string, below = 'id') =>
  `{ companies(first: 1) { nodes { customers${page} { nodes { ${below} } } } } }`;

describe('an operation costs', () => {
  test.each([
    [
      'one for a record and one for what it refers to',
      '{ company { item(id: "x") { category { id } } } }',
      3,
    ],
    ['the rows of a page', '{ companies(first: 7) { nodes { id } } }', 7],
    ['fifty for a page of no size', '{ companies { nodes { id } } }', 50],
    ['a page within a page as many times as there are rows', customers('(first: 10)'), 11],
    [
      'a page once, by its nodes or its edges',
      '{ companies(first: 7) { edges { node { id } } nodes { id } } }',
      7,
    ],
    ['every alias', '{ a: company { id } b: company { id } }', 2],
    [
      'ten lines an order',
      '{ company { salesOrder(id: "x") { documentLines { quantity item { id } } } } }',
      22,
    ],
    [
      'nothing for a list that comes with its record',
      '{ healthEvent(trackingId: "x") { title impact { impactedService impactedRegions { impactedRegion } } } }',
      1,
    ],
    [
      'one more for ten fields of a record, those among them that stand below it and are of no record',
      '{ healthEvent(trackingId: "x") { title status level summary header impact { impactedService impactedRegions { impactedRegion status } } links { type displayText { value } } } }',
      2,
    ],
    [
      'one more row for ten aliases of a field',
      '{ companies(first: 7) { nodes { a: id b: id c: id d: id e: id f: id g: id h: id i: id j: id } } }',
      14,
    ],
    [
      'every comparison of a filter and every term of an order, for each record that has the list',
      '{ companies(first: 3) { nodes { customers(first: 2, filter: { number: { in: ["p", "q"] }, city: { eq: "r", ne: "s" } }, orderBy: [CITY_ASC]) { nodes { id } } } } }',
      3 + 3 * (2 + 5),
    ],
    [
      'a long text of a filter as several comparisons',
      `{ companies(first: 3, filter: { name: { eq: "${'p'.repeat(640)}" } }) { nodes { id } } }`,
      3 + 11,
    ],
    [
      'the default of a variable in a filter',
      'query ($names: [String!] = ["p", "q"]) { companies(first: 3, filter: { name: { in: $names } }) { nodes { id } } }',
      3 + 2,
    ],
    [
      'twenty for each representation of a router, or what is selected of its own type where that is more',
      '{ _entities(representations: [{ __typename: "Customer" }, { __typename: "Item" }, { __typename: "Customer" }, {}]) { ... on Customer { salesOrders(first: 20) { nodes { id } } } ...I } } fragment I on Item { category { id } unitOfMeasure { id } }',
      2 * 21 + 20 + 20,
    ],
    [
      'the entries of a batch, each with what is selected of any type',
      'mutation { batch(input: { entries: [{ deleteItem: { id: "a", ifMatch: "*" } }, { deleteItem: { id: "b", ifMatch: "*" } }] }) { results { record { ... on Item { category { id } } ... on Customer { currency { id } } } } } }',
      2 * (1 + 2),
    ],
    [
      'what a subscription reads for each event',
      'subscription { recordChanged { record { ... on Customer { salesOrders(first: 20) { nodes { id } } } } } }',
      22,
    ],
  ])('%s', (_what, source, cost) => {
    expect(
      costOf(
        source
          .replaceAll('"x"', '"00000000-0000-4000-8000-000000000001"')
          .replaceAll(/"[ab]"/g, '"00000000-0000-4000-8000-000000000002"'),
      ),
    ).toBe(cost);
  });
});

test('the whole graph can be introspected three times, and a type often, under any limit', () => {
  const { definitions } = parse(getIntrospectionQuery());
  const [{ selectionSet }] = definitions as unknown as [OperationDefinitionNode];
  const introspect = (times: number, limit: number) => {
    const aliased = Array.from(
      { length: times },
      (_, at) => `a${at}: ${print(selectionSet).slice(1, -1).trim()}`,
    );
    const document = parse(
      `{ ${aliased.join(' ')} b: __type(name: "Item") { name } } ${definitions.slice(1).map(print).join(' ')}`,
    );
    return createCostFunction(
      schema,
      document,
      document.definitions[0] as OperationDefinitionNode,
    )({}, limit);
  };
  for (const limit of [1, 100, 50_000]) {
    expect(introspect(3, limit)).toBeLessThanOrEqual(limit);
    expect(introspect(4, limit)).toBeGreaterThan(limit);
  }
});

test('conditions with literals are evaluated, too', () => {
  const source = (directive: string) => `{ company ${directive} { id } __typename }`;

  expect(costOf(source('@skip(if: true)'))).toBe(0);
  expect(costOf(source('@skip(if: false)'))).toBe(1);
  expect(costOf(source('@include(if: false)'))).toBe(0);
  expect(costOf(source('@include(if: true) @skip(if: true)'))).toBe(0);
});

test('nested fragments that expand a million times are counted in linear time', () => {
  const fragments = Array.from(
    { length: 20 },
    (_, level) =>
      `fragment F${level} on Company { a: customer(id: $id) { company { ...F${level + 1} } } b: customer(id: $id) { company { ...F${level + 1} } } }`,
  );
  const source = `query ($id: UUID!) { company { ...F0 } } ${fragments.join(' ')} fragment F20 on Company { id }`;

  // Two customers a level, each with its company: 1 + 2 * (2 + 4 + … + 2^20).
  expect(costOf(source)).toBe(1 + 2 * (2 ** 21 - 2));
});

test('a list of representations that is too long is refused by its length', () => {
  const entry = {
    get __typename(): string {
      throw new Error('looked into');
    },
  };

  expect(
    costOf('query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }', {
      all: Array(2_501).fill(entry),
    }),
  ).toBe(50_020);
});
