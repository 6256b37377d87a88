import {
  buildSchema,
  type DocumentNode,
  type GraphQLObjectType,
  getVariableValues,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { createOperationPlans } from '../../../src/graph/operation-plans.ts';
import { ResponseMeter } from '../../../src/graph/response-meter.ts';
import type { SelectedObject } from '../../../src/graph/selected-object.ts';
import type { FieldInfo } from '../../../src/graph/selection.ts';

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
  return planOf(createOperationPlans(schema), document, variables).selection;
}

/** The plan of the first operation, whose variables are coerced as the executor coerces them. */
function planOf(
  plans: ReturnType<typeof createOperationPlans>,
  document: DocumentNode,
  variables: Record<string, unknown>,
) {
  const operation = operationOf(document);
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (!coerced) throw errors?.[0];
  return plans(document, operation, coerced);
}

const fieldsOf = (source: string, type: string, variables?: Record<string, unknown>, version?: string) =>
  [...select(source, variables).ofType(type, version).fields].sort();

describe('the fields of a type', () => {
  test.each([
    ['inline fragments', '{ item { id ... on Item { name } ... { etag } } }', ['etag', 'id', 'name']],
    [
      'fragments',
      '{ item { ...A } } fragment A on Item { id ...B } fragment B on Item { name }',
      ['id', 'name'],
    ],
    ['every path', '{ item { id } order { lines { item { name } } } }', ['id', 'name']],
    ['a fragment on another type', '{ item { id ... on Node { ... on Order { etag } } } }', ['id']],
  ])('are united over %s', (_what, source, fields) => {
    expect(fieldsOf(source, 'Item')).toEqual(fields);
  });
});

describe('@skip and @include', () => {
  test.each([
    ['@include(if: true) @skip(if: true)', {}, false],
    ['@skip(if: $yes)', { yes: true }, false],
    ['@include(if: $yes)', { yes: true }, true],
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
});

describe('a version argument', () => {
  test.each([
    ['item', {}, 'AUTO'],
    ['item(version: $v)', { v: 'V2' }, 'V2'],
    ['item(version: $v)', { v: null }, 'AUTO'],
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
});

describe('what a resolver gets of its place', () => {
  type Place = readonly [field: string, selected: SelectedObject, around: SelectedObject];

  /** By field, in the order of their resolvers: what is selected below it, and of the object around it. */
  async function placesOf(source: string): Promise<readonly Place[]> {
    const places: Place[] = [];
    const fields = ['Query.item', 'Query.order', 'Query.node', 'Item.parent', 'Item.name', 'Line.item'];
    for (const field of fields) {
      const [type, name] = field.split('.') as [string, string];
      const resolve = (_source: unknown, _args: unknown, _context: unknown, info: FieldInfo) => {
        places.push([name, info.selected, info.parentSelected]);
        return name === 'name' ? 'text' : { __typename: 'Item', lines: [{}] };
      };
      Object.assign((schema.getType(type) as GraphQLObjectType).getFields()[name] as object, { resolve });
    }
    const { projection } = planOf(createOperationPlans(schema), parse(source), {});
    const account = { reserve: () => true, release() {}, waitForTurn: () => Promise.resolve() };
    const meter = new ResponseMeter({ maxRows: 1_000, maxBytes: 1_000_000 }, account, 1);
    const { errors } = await projection.execute({ rootValue: {}, context: {}, variables: {}, meter });
    expect(errors).toEqual([]);
    return places;
  }

  const namesOf = (places: readonly Place[]) =>
    places.map(([field, selected, around]) => [field, [...selected.fields], [...around.fields]]);

  test('is over all aliases of the field, and over all that lead to the object', async () => {
    const places = await placesOf('{ a: item { id x: parent { name } } b: item { x: parent { etag } } }');

    expect(namesOf(places)).toEqual([
      ['item', ['id', 'parent'], ['item']],
      ['item', ['id', 'parent'], ['item']],
      ['parent', ['name', 'etag'], ['id', 'parent']],
      ['parent', ['name', 'etag'], ['id', 'parent']],
      ['name', [], ['name', 'etag']],
    ]);
    expect(places[0]?.[1]).toBe(places[1]?.[1]);
    expect(places[2]?.[1]).toBe(places[3]?.[1]);
  });

  test('is that of the version of the field', async () => {
    const places = await placesOf(
      '{ a: item { id } b: item(version: V1) { etag } c: item(version: AUTO) { unit { code } } }',
    );

    expect(namesOf(places).map(([, selected]) => selected)).toEqual([
      ['id', 'unit'],
      ['etag'],
      ['id', 'unit'],
    ]);
  });
});

describe('a selection', () => {
  const document = parse(`query ($yes: Boolean = false, $v: Version, $other: String) {
    item(version: $v) { id name @include(if: $yes) }
  }`);

  test('is the same object for the same variables', () => {
    const plans = createOperationPlans(schema);
    const plan = () => planOf(plans, document, { yes: true, v: 'V1' });

    expect(plan()).toBe(plan());
  });

  test.each([
    [{ yes: true }, { yes: false }],
    [{ v: 'V1' }, { v: 'V2' }],
  ])('is another object for %j and %j', (one, other) => {
    const plans = createOperationPlans(schema);

    expect(planOf(plans, document, one)).not.toBe(planOf(plans, document, other));
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
