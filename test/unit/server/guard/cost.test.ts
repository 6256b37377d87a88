import {
  buildSchema,
  executeSync,
  getIntrospectionQuery,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  validate,
} from 'graphql';
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
    ['nothing where it reads nothing', '{ __typename }', 0],
    ['one for a record', '{ company { id } }', 1],
    [
      'one for a record and one for what it refers to',
      '{ company { item(id: "x") { category { id } } } }',
      3,
    ],
    ['the rows of a page', '{ companies(first: 7) { nodes { id } } }', 7],
    ['fifty for a page of no size', '{ companies { nodes { id } } }', 50],
    ['the rows of a page of which only the length is asked', '{ companies(first: 7) { totalCount } }', 7],
    ['a page within a page as many times as there are rows', customers('(first: 10)'), 11],
    [
      'a page once, by its nodes or its edges',
      '{ companies(first: 7) { edges { node { id } } nodes { id } } }',
      7,
    ],
    [
      'what hangs below nodes and below edges',
      '{ companies(first: 2) { edges { node { item(id: "x") { id } } } nodes { item(id: "x") { id } } } }',
      6,
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
      'aliases of fields as fields',
      '{ companies(first: 7) { nodes { a: id b: id c: id d: id e: id f: id g: id h: id i: id } } }',
      7,
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
      'fragments wherever they are spread',
      '{ a: company { ...F } b: company { ...F } } fragment F on Company { customers(first: 5) { nodes { id } } }',
      12,
    ],
    ['inline fragments', '{ ... on Query { company { ... { customers(first: 5) { nodes { id } } } } } }', 6],
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

test('introspection costs about two rows for each type, field and argument', () => {
  const counted = (source: string) => {
    const answer = executeSync({ schema, document: parse(source) });
    let count = -1;
    JSON.stringify(answer.data, (_name, value) => {
      if (value !== null && typeof value === 'object' && !Array.isArray(value)) count += 1;
      return value;
    });
    return count;
  };
  for (const source of [
    '{ __schema { types { fields { name } } } }',
    '{ __schema { types { name fields { name args { name } } } } }',
    getIntrospectionQuery(),
  ]) {
    const ratio = costOf(source) / counted(source);
    expect(ratio).toBeGreaterThan(1.4);
    expect(ratio).toBeLessThan(2.8);
  }
});

describe('variables decide', () => {
  const paged = `query ($first: Int, $with: Boolean = true) { companies(first: $first) { nodes { id } } company @include(if: $with) { id } }`;
  test.each([
    ['the size of a page', paged, { first: 9 }, 10],
    ['nothing where they are left out: the usual size counts', paged, {}, 51],
    ['that a page has its usual size, as null', paged, { first: null }, 51],
    ['what is left out', paged, { first: 9, with: false }, 9],
    [
      'the size of a page by their default',
      'query ($first: Int = 3) { companies(first: $first) { nodes { id } } }',
      {},
      3,
    ],
    [
      'how many representations there are',
      'query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }',
      { all: [{}, {}, {}, {}] },
      80,
    ],
    [
      'how many nodes there are, whatever their ids name',
      'query ($all: [ID!]!) { nodes(nodeIds: $all) { nodeId } }',
      { all: ['a', 'a', 'a'] },
      60,
    ],
    [
      'one for a single node',
      'query ($nodeId: ID!) { node(nodeId: $nodeId) { nodeId } }',
      { nodeId: 'a' },
      1,
    ],
    [
      'how many entries a batch has',
      'mutation ($input: BatchInput!) { batch(input: $input) { results { record { nodeId } } } }',
      { input: { entries: [{}, {}, {}] } },
      3,
    ],
    [
      'how many, inside of a literal',
      'mutation ($entries: [BatchEntryInput!]!) { batch(input: { entries: $entries }) { results { record { nodeId } } } }',
      { entries: [{}, {}] },
      2,
    ],
  ])('%s', (_what, source, variables, cost) => {
    expect(costOf(source, variables)).toBe(cost);
  });

  test.each([[-1], [0], [2 ** 31], [1e9], ['many'], [{}], [[]], [Number.NaN]])(
    'no cost below nothing or above the longest page: %j',
    (first) => {
      const cost = costOf('query ($first: Int) { companies(first: $first) { nodes { id } } }', { first });
      expect(cost).toBeGreaterThanOrEqual(0);
      expect(cost).toBeLessThanOrEqual(1_000);
    },
  );
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

test.for([
  [1_000, 50_000],
  [3_000, 50_000],
  [3_000, 100],
  [1_000, 1],
] as const)(
  'introspection of %d further types is within a limit of %d, and four are not',
  ([count, limit]) => {
    const types = Array.from(
      { length: count },
      (_, at) => `type T${at} { a: Int b(x: Int, y: Int): Int c: Int d: Int e: Int f: Int g: Int h: Int }`,
    );
    const large = buildSchema(`type Query { t0: T0 } ${types.join(' ')}`);
    const document = parse(getIntrospectionQuery());
    const operation = document.definitions[0] as OperationDefinitionNode;
    const { selections } = operation.selectionSet;
    const repeated: SelectionSetNode = {
      kind: Kind.SELECTION_SET,
      selections: Array.from({ length: 4 }, () => selections).flat(),
    };
    const cost = (selectionSet: SelectionSetNode) =>
      createCostFunction(large, document, { ...operation, selectionSet })({}, limit);

    expect(cost(operation.selectionSet)).toBeLessThanOrEqual(limit);
    expect(cost(repeated)).toBeGreaterThan(limit);
  },
);
