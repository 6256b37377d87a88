import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientSdl } from '../../../src/app/schema/sdl.ts';
import { readDocuments } from '../../../src/mcp/documents.ts';
import { createTools } from '../../../src/mcp/tools.ts';

const sdl = clientSdl();

/** The tools of a folder of files, or of a manifest if there is one file that ends with `.json`. */
function toolsOf(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-documents-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'inner'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const manifest = Object.keys(files).find((name) => name.endsWith('.json'));
  const { tools, ...others } = createTools(sdl, readDocuments(join(folder, manifest ?? '')));
  return { tools: [...tools.values()], toolNamed: (name: string) => tools.get(name), ...others };
}

const toolsOfText = (...texts: readonly string[]) =>
  toolsOf(Object.fromEntries(texts.map((text, at) => [`${at}.graphql`, text])));

test('a tool is described by the description of its operation, or else by the comment before it', () => {
  const { toolNamed } = toolsOfText(
    '"""\nFinds companies.\nAll of them.\n"""\nquery Described { companies { totalCount } }',
    '# Counts companies,\n# by the upstream.\nquery Commented { companies { totalCount } }',
    'query Bare { companies { totalCount } }',
  );

  expect(toolNamed('Described')?.description).toBe('Finds companies.\nAll of them.');
  expect(toolNamed('Commented')?.description).toBe('Counts companies,\nby the upstream.');
  expect(toolNamed('Bare')?.description).toBe('Bare.');
});

test('the input schema has the types, defaults and descriptions of the variables', () => {
  const { toolNamed } = toolsOfText(
    `query Typed(
      $first: Int = 5
      "Which ones."
      $filter: CustomerFilter
      $id: UUID!
      $numbers: [String!] = "1000"
      $order: [CustomerOrder!] = NUMBER_ASC
      $isNew: Boolean! = false
      $nodes: [ID!]! = [1, "x"]
    ) {
      company { customers(first: $first, filter: $filter, orderBy: $order) { totalCount } }
      a: company(id: $id) @skip(if: $isNew) {
        customers(filter: { number: { in: $numbers } }) { totalCount }
      }
      nodes(nodeIds: $nodes) { nodeId }
    }`,
  );
  const schema = toolNamed('Typed')?.inputSchema as unknown as Record<
    string,
    Record<string, Record<string, unknown>>
  >;

  expect(schema).toMatchObject({ type: 'object', required: ['id'], additionalProperties: false });
  expect(schema.properties).toMatchObject({
    first: { type: ['integer', 'null'], default: 5 },
    filter: { anyOf: [{ $ref: '#/$defs/CustomerFilter' }, { type: 'null' }], description: 'Which ones.' },
    id: { type: 'string', description: expect.any(String) },
    numbers: { type: ['array', 'null'], items: { type: 'string' }, default: ['1000'] },
    order: { items: { $ref: '#/$defs/CustomerOrder' }, default: ['NUMBER_ASC'] },
    isNew: { type: 'boolean', default: false },
    nodes: { type: 'array', default: ['1', 'x'] },
  });
  expect(schema.$defs).toMatchObject({
    CustomerFilter: {
      type: 'object',
      additionalProperties: false,
      properties: { not: { $ref: '#/$defs/CustomerFilter', description: expect.any(String) } },
    },
    // What is null can be found; the operators need no description.
    StringFilter: {
      description: expect.any(String),
      properties: {
        eq: { type: ['string', 'null'] },
        gt: { type: 'string' },
        in: { type: 'array', items: { type: 'string' } },
      },
    },
    CustomerOrder: { type: 'string', enum: expect.arrayContaining(['NUMBER_ASC', 'NUMBER_DESC']) },
  });
  expect(JSON.stringify(schema.$defs?.StringFilter?.properties)).not.toContain('description');
});

test('exactly one field is to be given where the schema says so', () => {
  const { toolNamed } = toolsOfText(
    'mutation Write($input: BatchInput!) { batch(input: $input) { results { userErrors { code } } } }',
  );
  expect(toolNamed('Write')?.inputSchema).toMatchObject({
    $defs: { BatchEntryInput: { minProperties: 1, maxProperties: 1 } },
  });
});

const errorsOf = (mutation: string) => `${mutation}(input: $i) { userErrors { code } }`;
test.for([
  ['query Read { companies { totalCount } }', true, false, true],
  [`mutation Make($i: CreateCustomerInput!) { ${errorsOf('createCustomer')} }`, false, false, false],
  [`mutation Change($i: UpdateCustomerInput!) { ${errorsOf('updateCustomer')} }`, false, true, true],
  [`mutation Remove($i: RecordVersionInput!) { ${errorsOf('deleteCustomer')} }`, false, true, true],
  [`mutation Halt($i: StopVirtualInstanceInput!) { ${errorsOf('stopVirtualInstance')} }`, false, true, true],
  [
    `mutation Hidden($i: RecordVersionInput!) { ...D } fragment D on Mutation { ${errorsOf('deleteCustomer')} }`,
    false,
    true,
    false,
  ],
] as const)('hints tell what %s does', ([document, readOnlyHint, destructiveHint, idempotentHint]) => {
  const { tools } = toolsOfText(document);

  expect(tools.map(({ annotations }) => annotations)).toEqual([
    { readOnlyHint, destructiveHint, idempotentHint },
  ]);
});

test('what can be no tool is left out and named, and the others stay', () => {
  const { tools, problems, progress } = toolsOfText(
    'query Kept { companies { totalCount } }',
    'query Outdated { companies { noLongerThere } }',
    '{ companies { totalCount } }',
    'query Kept { companies { nodes { id } } }',
    'subscription Watch($id: ID!) { operationProgress(id: $id) { state } }',
    '# First.\nquery One { __typename }\n# Second.\nquery Two { ok: __typename }',
  );

  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ['Kept', 'Kept.'],
    ['One', 'First.'],
    ['Two', 'Second.'],
  ]);
  expect(problems).toEqual([
    expect.stringMatching(/^1\.graphql: Outdated: .*noLongerThere/),
    '2.graphql: An operation has no name.',
    '3.graphql: Kept: Another operation has this name.',
  ]);
  expect(progress).toMatchObject({ operationName: 'Watch' });
});

test('names of JavaScript are names like others', () => {
  const { tools } = toolsOfText(
    'query __proto__ { __typename }',
    'query constructor($toString: Int) { company { customers(first: $toString) { totalCount } } }',
  );

  expect(tools.map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
  expect(tools[1]?.inputSchema.properties).toMatchObject({ toString: { type: ['integer', 'null'] } });
});

test('the files of a folder share their fragments, and each operation is sent with its own', () => {
  const { tools, problems } = toolsOf({
    'a.graphql': 'query A { companies { nodes { ...Name } } } query B { companies { totalCount } }',
    'inner/b.gql': 'fragment Name on Company { name }',
    'notes.txt': 'not GraphQL {',
  });

  expect(problems).toEqual([]);
  expect(tools.map(({ text }) => [/query \w/g, /fragment/g].map((part) => text.match(part)?.length))).toEqual(
    [
      [1, 1],
      [1, undefined],
    ],
  );
});

test('the texts of a manifest are sent as they are', () => {
  const text = 'query A { companies { nodes { ...Name } } } fragment Name on Company { name } # Kept';
  const { tools } = toolsOf({ 'manifest.json': JSON.stringify({ 'sha256:1': text }) });

  expect(tools.map(({ name, text }) => [name, text])).toEqual([['A', text]]);
});

test('a file that is no GraphQL is named', () => {
  expect(() => toolsOfText('query Broken {')).toThrow(/^0\.graphql: Syntax Error/);
});
