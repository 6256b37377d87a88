import { request } from 'node:http';
import { expect } from 'vitest';
import { testWith } from '../../support/layer.ts';
import { connectAgent } from '../../support/mcp.ts';

const test = testWith({}, { MCP: 'on' });

const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  authorization: 'Bearer any',
};
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const post = (url: string, body: unknown, more: Record<string, string> = {}) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...headers, ...more },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test.for([
  ['a batch', [listTools, listTools], 400],
  ['an empty batch', [], 400],
  ['no object', '"tools/list"', 400],
  ['no JSON', '{', 400],
  ['no JSON-RPC', { method: 'tools/list' }, 400],
  ['a prototype', '{"jsonrpc":"2.0","id":1,"method":"tools/list","__proto__":{}}', 400],
  ['more than 256 KB', { ...listTools, params: { filler: 'x'.repeat(300_000) } }, 413],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, 202],
  ['one message', listTools, 200],
] as const)('a body with %s', async ([_what, body, status], { layer }) => {
  const response = await post(layer.url, body);

  expect(response.status).toBe(status);
  expect(response.headers.get('x-request-id')).toMatch(/\S/);
});

test.for([
  ['`initialize` without parameters', { method: 'initialize', params: {} }, 'params.protocolVersion'],
  ['a cursor that is a number', { method: 'tools/list', params: { cursor: 5 } }, 'params.cursor'],
  ['a tool that is a number', { method: 'tools/call', params: { name: 5 } }, 'params.name'],
  [
    'arguments of null',
    { method: 'tools/call', params: { name: 'run_query', arguments: null } },
    'params.arguments',
  ],
] as const)('%s are invalid parameters, named in a sentence', async ([_what, message, path], { layer }) => {
  const response = await post(layer.url, { jsonrpc: '2.0', id: 7, ...message });

  expect(await response.json()).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: {
      code: -32602,
      message: expect.stringMatching(new RegExp(`^\`${path}\`: expected [^"\\n]+\\.$`)),
    },
  });
});

test.for([
  ['{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}', 200],
  ['{"jsonrpc":"2.0","id":"9007199254740993","method":"ping"}', 200],
  ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', 400],
  ['{"jsonrpc":"2.0","id":1e400,"method":"ping"}', 400],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":-9223372036854775808}}}', 400],
] as const)('%s: an id is repeated exactly, or refused', async ([message, status], { layer }) => {
  const response = await post(layer.url, message);
  const body = (await response.json()) as { id?: unknown };

  expect(response.status).toBe(status);
  if (status === 200) expect(body.id).toBe(JSON.parse(message).id);
  else expect(JSON.stringify(body)).toContain('Send a string');
});

// The official client sends these without a body and its type.
test.for(['GET', 'DELETE'])('%s is not allowed: there are no sessions', async (method, { layer }) => {
  const response = await fetch(`${layer.url}/mcp`, { method, headers: { accept: 'text/event-stream' } });

  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('POST');
});

test('where callers are not verified, only hosts of this machine are served', async ({ layer }) => {
  const { hostname, port } = new URL(layer.url);
  const status = await new Promise((resolve, reject) => {
    const sent = request({
      hostname,
      port,
      path: '/mcp',
      method: 'POST',
      headers: { ...headers, host: 'evil.example' },
    });
    sent.on('response', (response) => resolve(response.statusCode)).on('error', reject);
    sent.end(JSON.stringify(listTools));
  });

  expect(status).toBe(403);
  expect((await fetch(`${layer.url}/.well-known/oauth-protected-resource`)).status).toBe(404);
});

test('`x-request-timeout` must be a number, as for every transport', async ({ layer }) => {
  expect((await post(layer.url, listTools, { 'x-request-timeout': 'soon' })).status).toBe(400);
});

test('run_query answers a query with its variables, and takes no other operation', async ({
  layer,
  sandbox,
}) => {
  const client = await connectAgent(layer.url);
  const run = async (args: Record<string, unknown>) =>
    (await client.callTool({ name: 'run_query', arguments: args })).structuredContent;
  const read = await run({
    query:
      'query A($n: Int) { company { customers(first: $n) { nodes { number } } } } query B { __typename }',
    variables: { n: 2 },
    operationName: 'A',
  });
  await sandbox.forgetCalls();
  const refused = [
    await run({
      query:
        'mutation { deleteCustomer(input: { id: "6c8412bf-6d98-42ce-bae5-f63018b7c03e", ifMatch: "*" }) { userErrors { code } } }',
    }),
    await run({ query: 'subscription { operationProgress(id: "x") { state } }' }),
    await run({ query: '{ company { nothing } }' }),
    await run({ query: 5 }),
    await run({ query: ' ' }),
    await run({}),
  ];
  await client.close();

  expect(read).toMatchObject({ data: { company: { customers: { nodes: [{}, {}] } } } });
  const code = (answer: unknown) =>
    (answer as { errors: { extensions: { code: string } }[] }).errors[0]?.extensions.code;
  expect(refused.map(code)).toEqual([
    'BAD_USER_INPUT',
    'BAD_USER_INPUT',
    'GRAPHQL_VALIDATION_FAILED',
    'BAD_USER_INPUT',
    'BAD_USER_INPUT',
    'BAD_USER_INPUT',
  ]);
  for (const answer of refused.slice(3))
    expect(JSON.stringify(answer)).toContain('`query` must be the text of a GraphQL query.');
  expect(await sandbox.calls()).toEqual([]);
});
