import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import {
  buildSchema,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getVariableValues,
  isCompositeType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  NoUnusedVariablesRule,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { expect, test } from 'vitest';
import { createOperationPlans } from '../../../src/graph/operation-plans.ts';
import { ResponseMeter } from '../../../src/graph/response-meter.ts';

// Fields whose name ends with an underscore have a resolver.
const schema = buildSchema(`
  interface Named { id: ID! name: String owner_: Thing }
  type Item implements Named { id: ID! name: String owner_: Thing price: Float tags: [String] sure_: String! }
  type Order implements Named { id: ID! name: String owner_: Thing lines: [Line!] more_(first: Int = 2): [Line]! state: State }
  type Line { id: ID! count: Int! item: Item item_: Item! order_: Order grid: [[Int]!] note_(text: String!): String }
  union Thing = Item | Order
  enum State { OPEN CLOSED }
  type Query { order: Order order_: Order things_: [Thing!] named_(id: ID): Named sure: Order! lines_(first: Int): [Line!]! }
  type Mutation { change_(to: Int): Order must_: Order! other_: Item }
`);
const typeOf = (name: string) => schema.getType(name) as GraphQLObjectType;

/** A number from others: the same for the same ones. */
const hash = (...parts: readonly (string | number)[]): number => {
  let state = 2_166_136_261;
  for (const character of parts.join(' ')) state = Math.imul(state ^ character.charCodeAt(0), 16_777_619);
  return (state ^ (state >>> 13)) >>> 0;
};

/** The value of a field, decided by a number: now and then one that is missing, fails, or does not fit. */
function makeValue(type: GraphQLField<unknown, unknown>['type'], seed: number, faults: number): unknown {
  const roll = hash(seed, 'roll') % 1_000;
  if (roll < faults) return [null, undefined, new Error(`fault ${seed}`), { is: 'no value' }, [1]][roll % 5];
  if (isNonNullType(type)) return makeValue(type.ofType, hash(seed, 'inner'), faults);
  if (isListType(type))
    return Array.from({ length: hash(seed, 'length') % 4 }, (_, index) => {
      const value = makeValue(type.ofType, hash(seed, index), faults);
      if (hash(seed, index, 'late') % 6 > 0 || value instanceof Error) return value;
      return Promise.resolve(value);
    });
  if (type.name === 'Int') return hash(seed, 'int') % 100;
  if (type.name === 'Float') return (hash(seed, 'float') % 100) / 4;
  if (type.name === 'State') return seed % 2 ? 'OPEN' : 'CLOSED';
  if (!isCompositeType(type)) return `text ${seed % 50}`;
  const types = isObjectType(type) ? [type] : schema.getPossibleTypes(type);
  return objectOf(types[seed % types.length] as GraphQLObjectType, hash(seed, 'object'), faults);
}

function objectOf(type: GraphQLObjectType, seed: number, faults: number): object {
  const object = { __typename: type.name, seed };
  for (const field of Object.values(type.getFields()))
    if (!field.name.endsWith('_'))
      Object.defineProperty(object, field.name, {
        get: () => makeValue(field.type, hash(seed, field.name), faults),
      });
  return object;
}

let faults = 0;
for (const type of Object.values(schema.getTypeMap()))
  if (isObjectType(type) && !type.name.startsWith('__'))
    for (const field of Object.values(type.getFields()))
      if (field.name.endsWith('_'))
        field.resolve = ({ seed }, args) => {
          const own = hash(seed, field.name, JSON.stringify(args));
          const value = makeValue(field.type, own, faults);
          if (own % 3 === 0) return value;
          if (!(value instanceof Error)) return Promise.resolve(value);
          if (own % 3 === 1) throw value;
          return Promise.reject(value);
        };

const variables = { yes: true, no: false, first: 3, text: 'given', none: null };
const declared =
  '$yes: Boolean! = false, $no: Boolean!, $first: Int, $text: String!, $none: ID, $left: Int = 1';

/** A random document over the schema: aliases, fragments on types and interfaces, merged fields, conditions. */
const randomDocument: fc.Arbitrary<string> = fc.gen().map((generate) => {
  const below = (count: number) => generate(fc.nat, { max: count - 1 });
  const fragments: string[] = [];
  const condition = () =>
    ['', '', '', '', ' @include(if: $yes)', ' @skip(if: $yes)', ' @include(if: $no)', ' @skip(if: true)'][
      below(8)
    ];
  const fieldsOf = (type: GraphQLObjectType, depth: number): string => {
    const fields = Object.values(type.getFields());
    return Array.from({ length: 1 + below(4) }, () => {
      const field = fields[below(fields.length)] as GraphQLField<unknown, unknown>;
      const named = getNamedType(field.type);
      if (isCompositeType(named) && depth === 0) return `__typename${condition()}`;
      const given = field.args.map(({ name }) => {
        const value = {
          first: ['$first', '$left', '1', 'null'],
          text: ['$text', '"x"'],
          id: ['$none', '"1"'],
          to: ['$left'],
        };
        const choices = value[name as 'first'];
        return `${name}: ${choices[below(choices.length)]}`;
      });
      // One alias for each way to write the field, so that fields of one alias merge.
      const written = field.name + (given.length > 0 ? `(${given.join(', ')})` : '');
      const alias =
        below(3) === 0
          ? `a${hash(written, type.name) % 1_000}: `
          : given.length > 0
            ? `b${hash(written, type.name) % 1_000}: `
            : '';
      return `${alias}${written}${condition()}${isCompositeType(named) ? ` ${selectionOf(named, depth - 1)}` : ''}`;
    }).join(' ');
  };
  const selectionOf = (type: ReturnType<typeof getNamedType>, depth: number): string => {
    const parts: string[] = ['__typename'];
    if (isUnionType(type) || isInterfaceType(type))
      for (const one of schema.getPossibleTypes(type))
        if (below(2)) parts.push(`... on ${one.name}${condition()} { ${fieldsOf(one, depth)} }`);
    if (isInterfaceType(type) || isObjectType(type)) parts.push(fieldsOf(type as GraphQLObjectType, depth));
    if (isObjectType(type) && below(3) === 0) parts.push(`...${condition()} { ${fieldsOf(type, depth)} }`);
    if (isObjectType(type) && below(4) === 0) {
      const name = `F${fragments.length}`;
      fragments.push('');
      fragments[Number(name.slice(1))] = `fragment ${name} on ${type.name} { ${fieldsOf(type, depth)} }`;
      parts.push(`...${name}${condition()} ...${name}`);
    }
    return `{ ${parts.join(' ')} }`;
  };
  const kind = below(5) === 0 ? 'mutation' : 'query';
  const root = typeOf(kind === 'query' ? 'Query' : 'Mutation');
  return `${kind} (${declared}) ${selectionOf(root, 4)} ${fragments.join(' ')}`;
});

const limits = { maxRows: 100_000, maxBytes: 10_000_000 };
const account = { reserve: () => true, release() {}, waitForTurn: () => Promise.resolve() };
const planOf = createOperationPlans(schema);

async function project(document: DocumentNode, seed: number, rows: number): Promise<ExecutionResult> {
  const operation = document.definitions[0] as OperationDefinitionNode;
  const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  const { projection } = planOf(document, operation, coerced);
  const meter = new ResponseMeter(limits, account, rows);
  const root = operation.operation === 'query' ? objectOf(typeOf('Query'), seed, faults) : { seed };
  const { data, errors } = await projection.execute({
    rootValue: root,
    context: {},
    variables: coerced,
    meter,
  });
  return { data, errors: errors as never };
}

async function interpret(document: DocumentNode, seed: number): Promise<ExecutionResult> {
  const isQuery = (document.definitions[0] as OperationDefinitionNode).operation === 'query';
  const rootValue = isQuery ? objectOf(typeOf('Query'), seed, faults) : { seed };
  // Where one item of a list fails, graphql-js leaves the rejections of others unhandled.
  const listeners = process.rawListeners('unhandledRejection') as NodeJS.UnhandledRejectionListener[];
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', () => {});
  const result = await execute({ schema, document, rootValue, variableValues: variables, contextValue: {} });
  await setImmediate();
  process.removeAllListeners('unhandledRejection');
  for (const listener of listeners) process.on('unhandledRejection', listener);
  return result;
}

/** The place that each error has made null, with the messages of errors that are at that place itself. */
function placesOf({ data, errors = [] }: ExecutionResult): Map<string, string[]> {
  const places = new Map<string, string[]>();
  for (const { path = [], message } of errors) {
    let value: unknown = data;
    let length = 0;
    while (value !== null && length < path.length)
      value = (value as Record<string, unknown>)[path[length++] as string];
    expect(value, `${path.join('.')} ${message}`).toBeNull();
    const place = JSON.stringify(path.slice(0, length));
    const known = places.get(place) ?? [];
    places.set(place, length === path.length ? [...known, message] : known);
  }
  return places;
}

const rules = specifiedRules.filter((rule) => rule !== NoUnusedVariablesRule);

test('random documents have the response that graphql-js gives to them, with the same places null and one error for each', async () => {
  let compared = 0;
  let failed = 0;
  const property = async (source: string, seed: number, some: number, rows: number) => {
    const document = parse(source);
    if (validate(schema, document, rules).length > 0) return;
    faults = some;
    const expected = await interpret(document, seed);
    const actual = await project(document, seed, rows);

    expect(JSON.stringify(actual.data), source).toBe(JSON.stringify(expected.data));
    const places = placesOf(actual);
    expect([...places.keys()].sort(), source).toEqual([...placesOf(expected).keys()].sort());
    expect(actual.errors).toHaveLength(places.size);
    compared += 1;
    if (places.size > 0) failed += 1;
  };
  await fc.assert(
    fc.asyncProperty(
      randomDocument,
      fc.nat(),
      fc.constantFrom(0, 20, 100),
      fc.constantFrom(1, 1_000),
      property,
    ),
    { numRuns: 2_500, interruptAfterTimeLimit: 90_000, markInterruptAsFailure: true },
  );
  expect(compared).toBeGreaterThan(1_000);
  expect(failed).toBeGreaterThan(300);
});
