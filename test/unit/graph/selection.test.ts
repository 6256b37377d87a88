import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSelectionCache } from '../../../src/graph/selection.ts';

const schema = buildSchema(`
  type Query { item(version: Version = AUTO): Item other(version: Version): Item order: Order node: Node thing: Thing }
  type Mutation { change: Item }
  type Order implements Node { id: ID lines: [Line!]! }
  type Line { id: ID item(version: Version = AUTO): Item }
  type Item implements Node { id: ID name: String etag: String unit: Unit parent: Item }
  type Unit { code: String name: String }
  interface Node { id: ID }
  union Thing = Item | Order
  enum Version { AUTO V1 V2 }
`);

const operationOf = (document: ReturnType<typeof parse>) =>
  document.definitions[0] as OperationDefinitionNode;

function select(source: string, variables: Record<string, unknown> = {}) {
  const document = parse(source);
  return createSelectionCache(schema)(document, operationOf(document), variables);
}

const fieldsOf = (source: string, type: string, variables?: Record<string, unknown>, version?: string) =>
  [...select(source, variables).ofType(type, version).fields].sort();

describe('the fields of a type', () => {
  test.each([
    ['aliases', '{ a: item { id } b: item { n: name } }', ['id', 'name']],
    ['inline fragments', '{ item { id ... on Item { name } ... { etag } } }', ['etag', 'id', 'name']],
    [
      'fragments',
      '{ item { ...A } } fragment A on Item { id ...B } fragment B on Item { name }',
      ['id', 'name'],
    ],
    ['every level', '{ item { id parent { name parent { etag } } } }', ['etag', 'id', 'name', 'parent']],
    ['every path', '{ item { id } order { lines { item { name } } } }', ['id', 'name']],
    ['a mutation', 'mutation { change { id } }', ['id']],
    ['fragments on an interface', '{ node { id ... on Item { name } } }', ['id', 'name']],
    ['an interface within the type', '{ item { ... on Node { id ... on Item { name } } } }', ['id', 'name']],
    ['a fragment on another type', '{ item { id ... on Node { ... on Order { etag } } } }', ['id']],
    ['members of a union', '{ thing { ... on Item { id } ... on Order { lines { id } } } }', ['id']],
    ['other types of the document', '{ order { id } }', []],
  ])('are united over %s', (_what, source, fields) => {
    expect(fieldsOf(source, 'Item')).toEqual(fields);
  });

  test('are kept apart by type, those of a union or an interface under each of its types', () => {
    const source =
      '{ node { __typename } thing { __typename ... on Order { lines { id item { unit { code } } } } } }';

    expect(fieldsOf(source, 'Query')).toEqual(['node', 'thing']);
    expect(fieldsOf(source, 'Order')).toEqual(['__typename', 'lines']);
    expect(fieldsOf(source, 'Line')).toEqual(['id', 'item']);
    expect(fieldsOf(source, 'Item')).toEqual(['__typename', 'unit']);
    expect(fieldsOf(source, 'Unit')).toEqual(['code']);
    expect(fieldsOf(source, 'NoSuchType')).toEqual([]);
  });

  test('of an interface are those of the types that the place can have', () => {
    const source = `{ order { ...F } } fragment F on Node { id ... on Item { name } ... on Order { lines { id } } }`;

    expect(fieldsOf(source, 'Order')).toEqual(['id', 'lines']);
    expect(fieldsOf(source, 'Item')).toEqual([]);
  });

  test('are those of the operation, not of its neighbours', () => {
    expect(fieldsOf('query A { item { id } } query B { item { name } }', 'Item')).toEqual(['id']);
  });
});

describe('@skip and @include', () => {
  test.each([
    ['@skip(if: true)', {}, false],
    ['@skip(if: false)', {}, true],
    ['@include(if: true)', {}, true],
    ['@include(if: false)', {}, false],
    ['@include(if: true) @skip(if: true)', {}, false],
    ['@skip(if: $yes)', { yes: true }, false],
    ['@skip(if: $yes)', { yes: false }, true],
    ['@include(if: $yes)', { yes: true }, true],
    ['@include(if: $yes)', { yes: false }, false],
    ['@include(if: $byDefault)', {}, true],
    ['@include(if: $byDefault)', { byDefault: false }, false],
    ['@skip(if: $byDefault)', {}, false],
  ])('%s with %j decide', (directive, variables, isSelected) => {
    const header = 'query ($yes: Boolean = false, $byDefault: Boolean = true)';
    const onField = `${header} { item { id name ${directive} } }`;
    const onInline = `${header} { item { id ... ${directive} { name } } }`;
    const onSpread = `${header} { item { id ...F ${directive} } } fragment F on Item { name }`;

    for (const source of [onField, onInline, onSpread]) {
      expect(fieldsOf(source, 'Item', variables)).toEqual(isSelected ? ['id', 'name'] : ['id']);
    }
  });

  test('that leave a fragment out in one place keep it in another', () => {
    const source = '{ a: item { ...F @skip(if: true) } b: item { ...F } } fragment F on Item { name }';

    expect(fieldsOf(source, 'Item')).toEqual(['name']);
  });

  test('leave out what hangs below', () => {
    expect(fieldsOf('{ item { id unit @skip(if: true) { code } } }', 'Unit')).toEqual([]);
  });
});

describe('a version argument', () => {
  test.each([
    ['item(version: V1)', {}, 'V1'],
    ['item', {}, 'AUTO'],
    ['item(version: null)', {}, 'AUTO'],
    ['other', {}, 'AUTO'],
    ['item(version: $v)', { v: 'V2' }, 'V2'],
    ['item(version: $v)', {}, 'V1'],
    ['item(version: $v)', { v: null }, 'AUTO'],
    ['item(version: $bare)', {}, 'AUTO'],
    ['item(version: $bare)', { bare: 'V2' }, 'V2'],
  ])('puts what hangs below %s with %j under its value', (field, variables, version) => {
    const source = `query ($v: Version = V1, $bare: Version) { ${field} { id unit { code } } }`;
    const others = ['AUTO', 'V1', 'V2'].filter((other) => other !== version);

    expect(fieldsOf(source, 'Item', variables, version)).toEqual(['id', 'unit']);
    expect(fieldsOf(source, 'Unit', variables, version)).toEqual(['code']);
    for (const other of others) expect(fieldsOf(source, 'Item', variables, other)).toEqual([]);
  });

  test('separates two uses of one fragment; without a version they are united', () => {
    const source = `{ a: item(version: V1) { ...F name } b: item(version: V2) { ...F etag } }
      fragment F on Item { unit { code } }`;

    expect(fieldsOf(source, 'Item', {}, 'V1')).toEqual(['name', 'unit']);
    expect(fieldsOf(source, 'Item', {}, 'V2')).toEqual(['etag', 'unit']);
    expect(fieldsOf(source, 'Unit', {}, 'V1')).toEqual(['code']);
    expect(fieldsOf(source, 'Unit', {}, 'V2')).toEqual(['code']);
    expect(fieldsOf(source, 'Item')).toEqual(['etag', 'name', 'unit']);
  });

  test('of an inner field goes before that of an outer one', () => {
    const source = '{ order { lines { item(version: V2) { parent { name } } } } item(version: V1) { id } }';

    expect(fieldsOf(source, 'Item', {}, 'V2')).toEqual(['name', 'parent']);
    expect(fieldsOf(source, 'Item', {}, 'V1')).toEqual(['id']);
  });
});

describe('a selection', () => {
  const document = parse(`query ($yes: Boolean = false, $v: Version, $other: Int) {
    item(version: $v) { id name @include(if: $yes) }
  }`);
  const operation = operationOf(document);

  test.each([
    ['the same variables', { yes: true, v: 'V1' }, { yes: true, v: 'V1' }],
    ['variables that decide nothing', { yes: true, other: 1 }, { yes: true, other: 2 }],
    ['a default given or left out', { yes: false }, {}],
  ])('is the same object for %s', (_what, one, other) => {
    const selectionOf = createSelectionCache(schema);

    expect(selectionOf(document, operation, one)).toBe(selectionOf(document, operation, other));
  });

  test.each([
    [{ yes: true }, { yes: false }],
    [{ v: 'V1' }, { v: 'V2' }],
  ])('is another object for %j and %j', (one, other) => {
    const selectionOf = createSelectionCache(schema);

    expect(selectionOf(document, operation, one)).not.toBe(selectionOf(document, operation, other));
  });

  test('is right however many combinations of variables came before', () => {
    const names = Array.from({ length: 8 }, (_, index) => `s${index}`);
    const source = `query (${names.map((name) => `$${name}: Boolean!`)}) {
      item { id ${names.map((name) => `${name}: name @include(if: $${name})`)} }
    }`;
    const many = parse(source);
    const selectionOf = createSelectionCache(schema);

    for (let bits = 0; bits < 256; bits++) {
      const variables = Object.fromEntries(names.map((name, index) => [name, Boolean(bits & (1 << index))]));
      expect(selectionOf(many, operationOf(many), variables).ofType('Item').fields.has('name')).toBe(
        bits > 0,
      );
    }
  });

  test('of fragments that double twenty times is made at once', () => {
    const doubling = Array.from(
      { length: 20 },
      (_, level) => `fragment F${level} on Item { parent { ...F${level + 1} } ...F${level + 1} }`,
    );
    const source = `{ a: item(version: V1) { ...F0 } b: item(version: V2) { ...F0 } }
      ${doubling.join('\n')} fragment F20 on Item { name }`;

    expect(fieldsOf(source, 'Item', {}, 'V1')).toEqual(['name', 'parent']);
    expect(fieldsOf(source, 'Item', {}, 'V2')).toEqual(['name', 'parent']);
  });
});

test('a variable that can decide nothing is neither kept nor walked', () => {
  const document = parse('query ($v: Version) { item(version: $v) { id } }');
  const selections = createSelectionCache(schema);
  let deep: unknown[] = [];
  for (let depth = 0; depth < 50_000; depth++) deep = [deep];

  const of = (v: unknown) => selections(document, operationOf(document), { v });

  expect(of('x'.repeat(100_000))).toBe(of('y'.repeat(100_000)));
  expect(of(deep)).toBe(of({ any: 'object' }));
  expect(of('V1')).not.toBe(of('V2'));
});
