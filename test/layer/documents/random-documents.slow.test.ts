import fc from 'fast-check';
import {
  defaultFieldResolver,
  type ExecutionResult,
  execute,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  isObjectType,
  parse,
} from 'graphql';
import { expect, vi } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import type { SelectedObject } from '../../../src/graph/selected-object.ts';
import type { FieldInfo } from '../../../src/graph/selection.ts';
import { markers, randomDocument } from '../../support/cases/random-documents.ts';
import { fixture } from '../../support/fixture.ts';
import { type Answer, test as testWithLayer } from '../../support/layer.ts';
import { stopInstance } from '../../support/operations.ts';

const schema = createSchema();

type Info = GraphQLResolveInfo & Partial<FieldInfo>;
type Path = GraphQLResolveInfo['path'];

const typeNames = Object.keys(schema.getTypeMap()).filter((name) => !name.startsWith('__'));
const resolvedFields = typeNames.flatMap((name) => {
  const type = schema.getType(name);
  return isObjectType(type) ? Object.values(type.getFields()).filter(({ resolve }) => resolve) : [];
});

/** The fields that graphql-js visits, each with what is selected below it and the version there. */
function followPlaces(root: SelectedObject) {
  const places = new WeakMap<Path, { readonly selected: SelectedObject; readonly version: string }>();
  return (info: Info, args: Readonly<Record<string, unknown>>) => {
    let above = info.path.prev;
    while (typeof above?.key === 'number') above = above.prev;
    const { selected: around, version: outer } = (above && places.get(above)) ?? {
      selected: root,
      version: 'AUTO',
    };
    const field = info.parentType.getFields()[info.fieldName];
    const version = field?.args.some(({ name }) => name === 'version')
      ? ((args.version as string | null) ?? 'AUTO')
      : outer;
    const selected = around.below(info.fieldName, version);
    places.set(info.path, { selected, version });
    return { ...info, parentSelected: around, selected };
  };
}

/**
 * Executes an operation by graphql-js with the context of the operation that was executed last, so that it reads the same
 * records.
 */
const test = testWithLayer
  .extend(
    'interpret',
    fixture(async ({ onCleanup }) => {
      let lastContext: unknown;
      let lastRoot: SelectedObject | undefined;
      let follow: ReturnType<typeof followPlaces> | undefined;
      const restore = resolvedFields.map((field) => {
        const { resolve } = field;
        field.resolve = (source, args, context, info: Info) => {
          if (!info.parentSelected) return resolve?.(source, args, context, follow?.(info, args) ?? info);
          lastContext = context;
          if (schema.getQueryType()?.getFields()[field.name] === field) lastRoot = info.parentSelected;
          return resolve?.(source, args, context, info);
        };
        return () => Object.assign(field, { resolve });
      });
      onCleanup(() => {
        for (const one of restore) one();
      });
      const fieldResolver: GraphQLFieldResolver<unknown, unknown> = (source, args, context, info) =>
        defaultFieldResolver(source, args, context, follow?.(info, args) ?? info);
      return (query: string, variableValues: Readonly<Record<string, unknown>>) => {
        follow = lastRoot && followPlaces(lastRoot);
        return execute({
          schema,
          document: parse(query),
          variableValues,
          contextValue: lastContext,
          fieldResolver,
        });
      };
    }),
  )
  .extend(
    'sources',
    fixture(async ({ onCleanup }) => {
      const sources: string[] = [];
      const spied = new Proxy(Function, {
        apply(target, self, given) {
          sources.push(given.join('\n'));
          return Reflect.apply(target, self, given);
        },
        construct(target, given) {
          sources.push(given.join('\n'));
          return Reflect.construct(target, given);
        },
      });
      vi.stubGlobal('Function', spied);
      onCleanup(() => void vi.unstubAllGlobals());
      return sources;
    }),
  );

/** The places that are null because of an error. A field that two errors have made null has one of them. */
const failedPlaces = ({
  data,
  errors = [],
}: Pick<ExecutionResult, 'data'> & Partial<Pick<Answer | ExecutionResult, 'errors'>>) => {
  const places = errors.map(({ path = [] }) => {
    let value: unknown = data;
    const at = path.findIndex((key) => {
      if (value === null) return true;
      value = (value as Record<string, unknown>)[key];
      return false;
    });
    return JSON.stringify(at < 0 ? path : path.slice(0, at));
  });
  return [...new Set(places)].sort();
};

test('random documents have the responses that graphql-js gives with the same records, and nothing of them becomes code', async ({
  layer,
  interpret,
  sources,
}) => {
  let answered = 0;
  let failed = 0;
  await fc.assert(
    fc.asyncProperty(randomDocument, async ({ query, variables }) => {
      const answer = await layer.query(query, variables);
      if (!answer.data) return;
      const expected = await interpret(query, variables);

      // As texts, as fields have an order, too.
      expect(JSON.stringify(answer.data), query).toBe(JSON.stringify(expected.data));
      expect(failedPlaces(answer), query).toEqual(failedPlaces(expected));
      answered += 1;
      if (answer.errors) failed += 1;
    }),
    // A failure is reduced to a small document for as long as there is time, and reported.
    { numRuns: 300, interruptAfterTimeLimit: 90_000, markInterruptAsFailure: true },
  );

  expect(answered).toBeGreaterThan(10);
  expect(failed).toBeGreaterThan(0);
  expect(sources).toEqual([]);
});

test('an error has the location in its own document', async ({ layer }) => {
  const documents = [
    '{ company { customers(first: 2, after: "not a cursor") { nodes { number } } } }',
    '\n\n  { company {\n customers(\n first: 3,\n after: "neither") { nodes { number } } } }',
    'query ($after: String = "nor this") { company { customers(first: 2, after: $after) { nodes { number } } } }',
  ];

  const answers = [];
  for (const query of documents) answers.push((await layer.query(query)).errors?.[0]?.locations);

  expect(answers).toEqual([[{ line: 1, column: 13 }], [{ line: 4, column: 2 }], [{ line: 1, column: 49 }]]);
});

test.for([
  [
    'a condition around a fragment leaves out what is selected a second time below it',
    'query ($no: Boolean!) { company { customers(first: 1) { nodes { id } } ... @include(if: $no) { customers(first: 1) { nodes { number ... on Customer { number } } ...F } } } } fragment F on CustomerConnection { nodes { city } }',
    { no: false },
  ],
  ['a field that is left out at first comes later', '{ company { name @include(if: false) id name } }', {}],
  ['nothing is left of a selection', '{ company { id @skip(if: true) } }', {}],
  [
    'a value inside a literal is null where it may not be',
    'query ($first: Int = 3, $order: CustomerOrder = CITY_ASC) { company { customers(first: $first, orderBy: [$order]) { totalCount } } }',
    { order: null },
  ],
  [
    'an argument with a default is null',
    'query ($first: Int = 3) { company { customers(first: $first) { totalCount } } }',
    { first: null },
  ],
] as const)(
  'where %s, the response is that of graphql-js',
  async ([_what, query, variables], { layer, interpret }) => {
    const answer = await layer.query(query, variables);
    const expected = await interpret(query, variables);

    expect(JSON.stringify(answer.data)).toBe(JSON.stringify(expected.data));
    expect(failedPlaces(answer)).toEqual(failedPlaces(expected));
  },
);

test.for([
  'query ($yes: Boolean = true) { company @skip(if: $yes) { id } }',
  'query ($yes: Boolean = true) { company { id @include(if: $yes) } }',
])('a condition that is null is BAD_USER_INPUT: %s', async (query, { layer }) => {
  const { status, data, errors } = await layer.query(query, { yes: null });

  expect({ status, data }).toEqual({ status: 400, data: undefined });
  expect(errors).toMatchObject([
    { message: expect.stringContaining('`$yes`'), extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});

test('no value of a mutation or a subscription becomes code', async ({ layer, sources }) => {
  const { data } = await layer.query(
    `mutation { createCustomer(input: { displayName: "${markers.text}", creditLimit: ${markers.digits} }) { customer { displayName creditLimit } } }`,
  );
  expect(data.createCustomer.customer.displayName).toBe(markers.text);

  const { operation } = await stopInstance(layer, 'app01');
  const query = `subscription { operationProgress(id: "${operation.id}") { id state } }`;
  for await (const { data: event } of layer.watch(query, {}))
    expect(event.operationProgress.id).toBe(operation.id);

  expect(sources).toEqual([]);
});

test.for([
  ['{ company { items(first: 3) { a: nodes { x: number } b: nodes { x: displayName } } } }'],
  ['{ company { items(first: 3) { edges { node { id } b: node { id: displayName } } } } }'],
  [
    '{ company { salesOrders(first: 3) { nodes { a: customer { x: number } b: customer { x: displayName } } } } }',
  ],
  [
    '{ company { salesOrders(first: 3) { nodes { a: documentLines { x: item { displayName } } b: documentLines { x: unitOfMeasure { code } } } } } }',
  ],
  [
    '{ company { items(first: 3) { nodes { a: itemCategory { x: code } b: itemCategory { x: description } } } } }',
  ],
] as const)(
  'one response key stands for different fields below two aliases: %s',
  async ([query], { layer }) => {
    const plain = query
      .replaceAll(/\bx: (\w+)/g, (_all, name) => `x_${name}: ${name}`)
      .replace('id: displayName', 'x_displayName: displayName');
    const withoutNames = (data: unknown) =>
      JSON.stringify(data, (_key, value) =>
        value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.values(value) : value,
      );

    const answer = await layer.query(query);

    expect(answer.errors).toBeUndefined();
    expect(withoutNames(answer.data)).toBe(withoutNames((await layer.query(plain)).data));
    expect(withoutNames(answer.data)).toMatch(/[A-Za-z]{3}/);
  },
);

test.for(['toString', 'constructor', '__proto__'])(
  'a variable named %s that is left out decides nothing',
  async (name, { layer }) => {
    const ask = (variable: string) =>
      layer.query(
        `query ($${variable}: ItemVersion) { company { items(first: 1) { nodes { number } } itemByNumber(number: "1416", version: $${variable}) { displayName } } }`,
      );

    expect((await ask(name)).data).toEqual((await ask('version')).data);
  },
);

test('a field of any name is in the response', async ({ layer }) => {
  const query =
    '{ company { __proto__: id constructor: name toJSON: id __isCompany: __typename } __proto__: __typename }';
  const response = await fetch(`${layer.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer proto' },
    body: JSON.stringify({ query }),
  });

  expect(await response.text()).toMatch(
    /^\{"data":\{"company":\{"__proto__":"[^"]+","constructor":"[^"]+","toJSON":"[^"]+","__isCompany":"Company"\},"__proto__":"Query"\}\}\n$/,
  );
});
