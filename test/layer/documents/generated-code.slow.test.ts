import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { markers, randomDocument } from '../../support/cases/random-documents.ts';
import { fixture } from '../../support/fixture.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { stopInstance } from '../../support/operations.ts';
import { testWithSandbox } from '../../support/sandbox.ts';

/** A layer that compiles every operation at once, one that compiles none, and the source of all generated code. */
const test = testWithSandbox({})
  .extend('layers', async ({ sandbox }, { onCleanup }) => {
    const settings = { MAX_ALIASES: '1000', ADMIN_PORT: '0', PAGES: 'on' };
    const compiled = await startTestLayer(sandbox.url, { ...settings, COMPILE_AFTER: '0' });
    const interpreted = await startTestLayer(sandbox.url, { ...settings, COMPILE_AFTER: 'never' });
    onCleanup(async () => {
      await compiled.stop();
      await interpreted.stop();
    });
    return { compiled, interpreted };
  })
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

const idsOfOneRequest = new Set(['requestId', 'upstreamRequestId']);

/** What two executors must agree on: all of an answer but the ids of its requests. */
const comparable = ({ status, data, errors }: { status: number; data?: unknown; errors?: unknown }) => ({
  status,
  data,
  errors: JSON.parse(
    JSON.stringify(errors ?? null, (key, value) => (idsOfOneRequest.has(key) ? undefined : value)),
  ),
});

test('no value of a random document is in generated code, and both executors return the same response', async ({
  layers: { compiled, interpreted },
  sources,
}) => {
  let answered = 0;
  let failed = 0;
  await fc.assert(
    fc.asyncProperty(randomDocument, async ({ query, variables }) => {
      const one = await compiled.query(query, variables);
      const other = await interpreted.query(query, variables);

      // As texts, as fields have an order, too.
      expect(JSON.stringify(comparable(one)), query).toBe(JSON.stringify(comparable(other)));
      if (one.status === 200 && one.data) answered += 1;
      if (one.errors?.some(({ locations }) => locations)) failed += 1;
    }),
    // A failure is reduced to a small document for as long as there is time, and reported.
    { numRuns: 300, interruptAfterTimeLimit: 90_000, markInterruptAsFailure: true },
  );

  const { of } = await compiled.metrics();
  expect(answered).toBeGreaterThan(10);
  expect(failed).toBeGreaterThan(0);
  expect(of('tributary_compiled_operations_total')).toBeGreaterThan(10);
  const all = sources.join('\n');
  for (const marker of Object.values(markers)) expect(all).not.toContain(marker);
});

test('documents that differ in values, names and formatting share one compiled operation, and each has its own response', async ({
  layers: { compiled, interpreted },
}) => {
  const documents = Array.from({ length: 7 }, (_, number) => [
    `{ company { customers(first: ${number + 1}, filter: { number: { ne: "${number}" } }) { totalCount nodes { number } } } }`,
    `query Named${number} {\n  company {\n    customers(first: ${number + 1}, filter: { city: { in: ["${number}", "Oslo"] } }) { totalCount nodes { number } }\n  }\n}`,
    `query ($n${number}: Int = ${number + 1}) { company { customers(first: $n${number}, filter: {}) { totalCount nodes { number } } } }`,
  ]).flat();

  for (const query of documents)
    expect(comparable(await compiled.query(query))).toEqual(comparable(await interpreted.query(query)));

  expect((await compiled.metrics()).of('tributary_compiled_operations_total')).toBe(1);
});

test('an error of shared code has the location in its own document', async ({
  layers: { compiled, interpreted },
}) => {
  const documents = [
    '{ company { customers(first: 2, after: "not a cursor") { nodes { number } } } }',
    '\n\n  { company {\n customers(\n first: 3,\n after: "neither") { nodes { number } } } }',
    'query ($after: String = "nor this") { company { customers(first: 2, after: $after) { nodes { number } } } }',
  ];

  const answers = [];
  for (const query of documents) {
    const answer = await compiled.query(query);
    expect(comparable(answer)).toEqual(comparable(await interpreted.query(query)));
    answers.push(answer.errors?.[0]?.locations);
  }

  expect(answers).toEqual([[{ line: 1, column: 13 }], [{ line: 4, column: 2 }], [{ line: 1, column: 49 }]]);
  expect((await compiled.metrics()).of('tributary_compiled_operations_total')).toBe(1);
});

test.for([
  [
    'a condition around a fragment leaves out what is selected a second time below it',
    `query ($no: Boolean!) { company { customers(first: 1) { nodes { id } } ... @include(if: $no) { customers(first: 1) { nodes { number ... on Customer { number } } ...F } } } } fragment F on CustomerConnection { nodes { city } }`,
    { no: false },
  ],
  ['a field that is left out at first comes later', '{ company { name @include(if: false) id name } }', {}],
  [
    'a condition at the root is null',
    'query ($yes: Boolean = true) { company @skip(if: $yes) { id } }',
    { yes: null },
  ],
  ['nothing is left of a selection', '{ company { id @skip(if: true) } }', {}],
  [
    'a condition is null',
    'query ($yes: Boolean = true) { company { id @include(if: $yes) } }',
    { yes: null },
  ],
  [
    'a value inside a literal is null where it may not be',
    'query ($first: Int = 3, $field: CustomerSortField = CITY) { company { customers(first: $first, orderBy: [{ field: $field }]) { totalCount } } }',
    { field: null },
  ],
  [
    'an argument with a default is null',
    'query ($first: Int = 3) { company { customers(first: $first) { totalCount } } }',
    { first: null },
  ],
] as const)(
  'where %s both executors return the same',
  async ([_what, query, variables], { layers: { compiled, interpreted } }) => {
    const ask = async (layer: TestLayer) => JSON.stringify(comparable(await layer.query(query, variables)));
    const answer = await ask(compiled);

    expect(answer).toBe(await ask(interpreted));
    expect(answer).toBe(await ask(compiled));
    expect(answer).not.toContain('INTERNAL_SERVER_ERROR');
  },
);

test('no value of a subscription is in generated code', async ({ layers: { compiled }, sources }) => {
  const { operation } = await stopInstance(compiled, 'app01');

  const query = `subscription { operationProgress(id: "${operation.id}") { id state } }`;
  for await (const { data } of compiled.watch(query, {}))
    expect(data.operationProgress.id).toBe(operation.id);

  expect(sources.join('\n')).not.toContain(operation.id);
  expect((await compiled.metrics()).of('tributary_compiled_operations_total')).toBe(2);
});

test('no value of a mutation is in generated code', async ({ layers: { compiled }, sources }) => {
  const { data } = await compiled.query(
    `mutation { createCustomer(input: { displayName: "${markers.text}", creditLimit: ${markers.digits} }) { customer { displayName creditLimit } } }`,
  );

  expect(data.createCustomer.customer.displayName).toBe(markers.text);
  for (const marker of Object.values(markers)) expect(sources.join('\n')).not.toContain(marker);
  expect(sources.length).toBeGreaterThan(0);
});

test('a field with the alias __proto__ is in the response of both executors', async ({
  layers: { compiled, interpreted },
}) => {
  const query =
    '{ company { __proto__: id constructor: name __isCompany: __typename } __proto__: __typename }';
  const texts = [];
  for (const { url } of [compiled, interpreted]) {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer proto' },
      body: JSON.stringify({ query }),
    });
    texts.push(await response.text());
  }

  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).toMatch(/^\{"data":\{"company":\{"__proto__":"[^"]+","constructor":"[^"]+",/);
});
