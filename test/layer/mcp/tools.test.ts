import type { Client } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { connectAgent, writeManifest } from '../../support/mcp.ts';

// No tool is called here that needs an upstream.
const nowhere = 'http://127.0.0.1:9';

/** What an agent sees of these documents. */
async function listTools(documents: readonly string[], settings: Record<string, string> = {}) {
  const manifest = writeManifest(documents);
  const layer = await startTestLayer(nowhere, {
    MCP: 'on',
    TRUSTED_DOCUMENTS: 'require',
    TRUSTED_DOCUMENTS_MANIFEST: manifest.path,
    ...settings,
  });
  const client: Client = await connectAgent(layer.url);
  onTestFinished(async () => {
    await client.close();
    await layer.stop();
    manifest.remove();
  });
  const { tools } = await client.listTools();
  return { client, layer, tools, toolNamed: (name: string) => tools.find((tool) => tool.name === name) };
}

test('a tool is described by the description of its operation, or else by the comment before it', async () => {
  const { toolNamed } = await listTools([
    '"""\nFinds companies.\nAll of them.\n"""\nquery Described { companies { totalCount } }',
    '# Counts companies,\n# by the upstream.\nquery Commented { companies { totalCount } }',
    'query Bare { companies { totalCount } }',
  ]);

  expect(toolNamed('Described')?.description).toBe('Finds companies.\nAll of them.');
  expect(toolNamed('Commented')?.description).toBe('Counts companies,\nby the upstream.');
  expect(toolNamed('Bare')?.description).toBe('The query Bare.');
});

test('the input schema has the types, defaults and descriptions of the variables', async () => {
  const { toolNamed } = await listTools([
    `query Typed(
      $first: Int = 5
      "Which ones."
      $filter: CustomerFilter
      $id: UUID!
      $numbers: [String!]
      $order: [CustomerSort!]
      $isNew: Boolean! = false
    ) {
      company { customers(first: $first, filter: $filter, orderBy: $order) { totalCount } }
      a: company(id: $id) @skip(if: $isNew) {
        customers(filter: { number: { in: $numbers } }) { totalCount }
      }
    }`,
  ]);
  const schema = toolNamed('Typed')?.inputSchema as Record<string, Record<string, Record<string, unknown>>>;

  expect(schema).toMatchObject({ type: 'object', required: ['id'], additionalProperties: false });
  expect(schema.properties).toMatchObject({
    first: { type: ['integer', 'null'], default: 5, description: 'How many to return, 1 to 1000.' },
    filter: { anyOf: [{ $ref: '#/$defs/CustomerFilter' }, { type: 'null' }], description: 'Which ones.' },
    id: { type: 'string', description: expect.any(String) },
    numbers: { type: ['array', 'null'], items: { type: 'string' } },
    order: { type: ['array', 'null'], items: { $ref: '#/$defs/CustomerSort' } },
    isNew: { type: 'boolean', default: false },
  });
  expect(schema.$defs).toMatchObject({
    CustomerFilter: {
      type: 'object',
      additionalProperties: false,
      properties: { not: { $ref: '#/$defs/CustomerFilter', description: expect.any(String) } },
    },
    // What is null can be found; the operators need no description.
    StringFilter: { description: expect.any(String), properties: { eq: { type: ['string', 'null'] } } },
    CustomerSort: { required: ['field'], properties: { direction: { default: 'ASC' } } },
    SortDirection: { type: 'string', enum: ['ASC', 'DESC'] },
  });
  expect(schema.$defs?.StringFilter).toMatchObject({
    properties: { gt: { type: 'string' }, in: { type: 'array', items: { type: 'string' } } },
  });
  expect(JSON.stringify(schema.$defs?.StringFilter?.properties)).not.toContain('description');
});

test('a default is one of its own type', async () => {
  const { toolNamed } = await listTools([
    `query Defaults($d: Decimal = 5, $n: [String!] = "1000", $ids: [ID!]! = [1, "x"], $order: [CustomerSort!] = { field: NUMBER }) {
      company { customers(filter: { balanceDue: { gt: $d }, number: { in: $n } }, orderBy: $order) { totalCount } }
      nodes(nodeIds: $ids) { nodeId }
    }`,
  ]);

  expect(toolNamed('Defaults')?.inputSchema.properties).toMatchObject({
    d: { default: '5' },
    n: { default: ['1000'] },
    ids: { default: ['1', 'x'] },
    order: { default: [{ field: 'NUMBER', direction: 'ASC' }] },
  });
});

test('exactly one field is to be given where the schema says so', async () => {
  const { toolNamed } = await listTools([
    'mutation Order($input: CreateSalesOrderInput!) { createSalesOrder(input: $input) { userErrors { code } } }',
  ]);
  expect(toolNamed('Order')?.inputSchema).toMatchObject({
    $defs: { LineSubjectInput: { minProperties: 1, maxProperties: 1 } },
  });
});

test.for([
  ['query Read { companies { totalCount } }', true, false, true],
  [
    'mutation Make($i: CreateCustomerInput!) { createCustomer(input: $i) { userErrors { code } } }',
    false,
    false,
    false,
  ],
  [
    'mutation Change($i: UpdateCustomerInput!) { updateCustomer(input: $i) { userErrors { code } } }',
    false,
    true,
    true,
  ],
  [
    'mutation Remove($i: DeleteCustomerInput!) { deleteCustomer(input: $i) { userErrors { code } } }',
    false,
    true,
    true,
  ],
  [
    'mutation Halt($i: StopVirtualInstanceInput!) { stopVirtualInstance(input: $i) { userErrors { code } } }',
    false,
    true,
    true,
  ],
  [
    'mutation Both($i: CreateCustomerInput!, $d: DeleteCustomerInput!) { createCustomer(input: $i) { userErrors { code } } ...D } fragment D on Mutation { deleteCustomer(input: $d) { userErrors { code } } }',
    false,
    true,
    false,
  ],
] as const)('hints tell what %s does', async ([document, readOnlyHint, destructiveHint, idempotentHint]) => {
  const { tools } = await listTools([document], { INTROSPECTION: 'off' });

  expect(tools.map(({ annotations }) => annotations)).toEqual([
    { readOnlyHint, destructiveHint, idempotentHint },
  ]);
});

test('what can be no tool is left out and logged, and the others are served', async () => {
  const { layer, tools } = await listTools(
    [
      'query Kept { companies { totalCount } }',
      'query Outdated { companies { noLongerThere } }',
      `query Deep { ${'companies { nodes { customers { nodes { company { '.repeat(3)} id ${'} '.repeat(16)}`,
      '{ companies { totalCount } }',
      'query Broken {',
      'query Kept { companies { nodes { id } } }',
      'query search_schema { companies { totalCount } }',
      'subscription Watch($id: ID!) { operationProgress(id: $id) { state } }',
      `query ${'x'.repeat(129)} { companies { totalCount } }`,
    ],
    { INTROSPECTION: 'off' },
  );

  expect(tools.map(({ name }) => name)).toEqual(['Kept']);
  const logged = layer.lines().filter(({ msg }) => msg === 'A trusted document is no tool (MCP).');
  expect(logged.map(({ documentId, reason }) => [documentId, reason])).toEqual([
    ['sha256:1', expect.stringContaining('noLongerThere')],
    ['sha256:2', expect.stringContaining('the limit is 12')],
    ['sha256:3', 'It has no name.'],
    ['sha256:4', expect.stringContaining('Syntax Error')],
    ['sha256:5', 'Another tool has its name.'],
    ['sha256:6', 'Another tool has its name.'],
    ['sha256:8', expect.stringContaining('128')],
  ]);
});

test('a document with several operations is as many tools', async () => {
  const { client, tools } = await listTools(
    ['# First.\nquery One { __typename }\n# Second.\nquery Two { ok: __typename }'],
    { INTROSPECTION: 'off' },
  );

  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ['One', 'First.'],
    ['Two', 'Second.'],
  ]);
  const { structuredContent } = await client.callTool({ name: 'Two', arguments: {} });
  expect(structuredContent).toEqual({ data: { ok: 'Query' } });
});

test('names of JavaScript are names like others', async () => {
  const { client, tools } = await listTools(
    [
      'query __proto__ { __typename }',
      'query constructor($toString: Int) { company { customers(first: $toString) { totalCount } } }',
    ],
    { INTROSPECTION: 'off' },
  );

  expect(tools.map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
  expect(tools[1]?.inputSchema.properties).toMatchObject({ toString: { type: ['integer', 'null'] } });
  const called = await client.callTool({ name: '__proto__', arguments: {} });
  expect(called.structuredContent).toEqual({ data: { __typename: 'Query' } });
  const other = await client.callTool({ name: 'constructor', arguments: { valueOf: 1 } });
  expect(other.isError).toBe(true);
  await expect(client.callTool({ name: 'hasOwnProperty', arguments: {} })).rejects.toThrow('no tool');
});

test.for([
  [{ MCP: 'on', TRUSTED_DOCUMENTS: 'require' }, ['search_schema']],
  [{ MCP: 'on', TRUSTED_DOCUMENTS: 'require', INTROSPECTION: 'off' }, []],
  [{ MCP: 'on', TRUSTED_DOCUMENTS: 'prefer' }, ['search_schema', 'run_query']],
  [{ MCP: 'on', TRUSTED_DOCUMENTS: 'off', INTROSPECTION: 'off' }, ['run_query']],
  [{ MCP: 'ad-hoc', TRUSTED_DOCUMENTS: 'require', INTROSPECTION: 'off' }, ['search_schema', 'run_query']],
] as const)('with %j there are also %j', async ([settings, names]) => {
  const { tools } = await listTools(['query Own { __typename }'], settings);

  expect(tools.map(({ name }) => name)).toEqual(['Own', ...names]);
});

test('a search finds types and fields by words, best first, and never more than it may', async () => {
  const { client } = await listTools(['query Own { __typename }']);
  const search = async (args: Record<string, unknown>) =>
    (await client.callTool({ name: 'search_schema', arguments: args })).structuredContent as {
      matches: { name: string; definition: string; description: string }[];
      leftOut: number;
      type: string | null;
    };

  const { matches, leftOut } = await search({ words: 'sales orders', first: 3 });
  expect(matches).toHaveLength(3);
  expect(leftOut).toBeGreaterThan(10);
  expect(matches.every(({ name }) => /salesorders/i.test(name))).toBe(true);
  const { type } = await search({ words: 'SortDirection' });
  expect(type).toContain('enum SortDirection {');
  expect((await search({ words: '_entities federation' })).matches).toEqual([]);
  expect((await search({ words: 'a', first: 1_000 })).matches).toHaveLength(50);
  for (const wrong of [{ words: 5 }, {}, { words: 'x'.repeat(201) }, { words: 'a', first: 0 }])
    expect(await search(wrong)).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
});

// Each of its tools has about 6,000 characters.
const manyTools = (count: number) =>
  Array.from(
    { length: count },
    (_, at) =>
      `query Find${at}($filter: CustomerFilter) { company { customers(filter: $filter) { totalCount } } }`,
  );

test('tools of up to 64 kB are on one page', async () => {
  const { client } = await listTools(manyTools(8));
  expect((await client.request({ method: 'tools/list', params: {} })).nextCursor).toBeUndefined();
});

test('longer lists of tools have pages, which the official client follows', async () => {
  const { client, tools } = await listTools(manyTools(40));
  const pages = [await client.request({ method: 'tools/list', params: {} })];
  for (let cursor = pages[0]?.nextCursor; cursor !== undefined; cursor = pages.at(-1)?.nextCursor)
    pages.push(await client.request({ method: 'tools/list', params: { cursor } }));

  // With the search of the schema.
  expect(tools).toHaveLength(41);
  expect(pages.flatMap((page) => page.tools.map(({ name }) => name))).toEqual(tools.map(({ name }) => name));
  expect(pages.length).toBeGreaterThan(2);
  for (const page of pages) {
    expect(page.tools.length).toBeGreaterThan(0);
    expect(JSON.stringify(page.tools).length).toBeLessThan(65 * 1_024);
  }
});

test.for(['', 'x', 'A'.repeat(43)])(
  'a cursor that is none, such as "%s", is an invalid parameter',
  async (cursor) => {
    const { client } = await listTools(manyTools(1));
    await expect(client.request({ method: 'tools/list', params: { cursor } })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('without a cursor'),
    });
  },
);
