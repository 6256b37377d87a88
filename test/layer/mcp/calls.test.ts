import type { Progress } from '@modelcontextprotocol/client';
import { test as base, expect } from 'vitest';
import { testWith } from '../../support/layer.ts';
import { answerOf, connectAgent, type Revision, revisions, writeManifest } from '../../support/mcp.ts';

const names = {
  subscriptionId: '11111111-2222-4333-8444-555555555555',
  resourceGroupName: 'rg-north',
  virtualInstanceName: 'N01',
};
const stopDocument = `mutation Stop($id: String!, $group: String!, $virtual: String!, $name: String!) {
  stopped: stopApplicationInstance(input: { instance: { names: {
    subscriptionId: $id, resourceGroupName: $group, virtualInstanceName: $virtual, applicationInstanceName: $name
  } } }) { started: operation { handle: id state } userErrors { code } }
}`;
const stopping = (name: string) => ({
  name: 'Stop',
  arguments: {
    id: names.subscriptionId,
    group: names.resourceGroupName,
    virtual: names.virtualInstanceName,
    name,
  },
});
const longNames = Array.from({ length: 10 }, (_, at) => `name${at}: displayName`).join(' ');
const manifest = writeManifest([
  'query Customers($first: Int, $after: String) { company { customers(first: $first, after: $after) { totalCount nodes { id etag number displayName type addressLine1 city state country postalCode phoneNumber email website balanceDue } pageInfo { endCursor } } } }',
  'query Deep($first: Int!) { company { customers(first: $first) { nodes { salesOrders(first: $first) { nodes { number } } } } } }',
  'query Both { company { customers(first: 1) { nodes { number } } items(first: 1) { nodes { number } } } }',
  stopDocument,
  `mutation ManyItems($input: CreateItemsInput!) { createItems(input: $input) { results { item { id etag number ${longNames} } userErrors { code message path } } } }`,
]);
base.afterAll(manifest.remove);
const test = testWith(
  {},
  { MCP: 'on', ADMIN_PORT: '0', TRUSTED_DOCUMENTS: 'require', TRUSTED_DOCUMENTS_MANIFEST: manifest.path },
);

const each = Object.keys(revisions) as Revision[];

test.for(each)('a tool answers with data, as text and structured (%s)', async (revision, { layer }) => {
  const client = await connectAgent(layer.url, { revision });
  const result = await client.callTool({ name: 'Customers', arguments: { first: 2 } });
  await client.close();

  expect(result.isError).toBeUndefined();
  expect(result.structuredContent).toEqual(answerOf(result));
  expect(result.structuredContent).toMatchObject({
    data: { company: { customers: { totalCount: 300, nodes: [{}, {}] } } },
  });
});

test.for(each)('the progress of a stop is reported to its end (%s)', async (revision, { layer }) => {
  const client = await connectAgent(layer.url, { revision });
  const reports: Progress[] = [];
  const result = await client.callTool(stopping('app01'), { onprogress: (report) => reports.push(report) });
  await client.close();

  const percents = reports.map(({ progress }) => progress);
  expect(percents.length).toBeGreaterThan(2);
  expect(percents).toEqual([...new Set(percents)].sort((one, other) => one - other));
  expect(reports.at(-1)).toMatchObject({ progress: 100, total: 100, message: 'SUCCEEDED' });
  expect(result.structuredContent).toMatchObject({
    data: { stopped: { started: { state: 'RUNNING' }, userErrors: [] } },
    progress: { operation: { state: 'SUCCEEDED', percentComplete: 100 } },
  });
});

test('a stop whose upstream reports no percentage ends at 100', async ({ layer }) => {
  const client = await connectAgent(layer.url);
  const reports: Progress[] = [];
  await client.callTool(stopping('percentless'), { onprogress: (report) => reports.push(report) });
  await client.close();

  expect(reports.at(-1)).toMatchObject({ progress: 100, total: 100, message: 'SUCCEEDED' });
});

test('a stop that fails ends its progress with why', async ({ layer }) => {
  const client = await connectAgent(layer.url);
  const { structuredContent } = await client.callTool(stopping('fragile'), { onprogress: () => {} });
  await client.close();

  expect(structuredContent).toMatchObject({
    progress: { operation: { state: 'FAILED', error: { message: expect.stringMatching(/\w/) } } },
  });
});

test('without a progress token the stop answers at once, with its handle', async ({ layer }) => {
  const client = await connectAgent(layer.url);
  const result = await client.callTool(stopping('app01'));
  await client.close();

  expect(result.structuredContent).toMatchObject({
    data: { stopped: { started: { handle: expect.any(String), state: 'RUNNING' } } },
  });
  expect(result.structuredContent).not.toHaveProperty('progress');
});

test('user errors of a stop are data, and there is nothing to follow', async ({ layer }) => {
  const client = await connectAgent(layer.url);
  const result = await client.callTool(stopping('busy'), { onprogress: () => {} });
  await client.close();

  expect(answerOf(result)).toMatchObject({ data: { stopped: { started: null, userErrors: [{}] } } });
});

test('a large answer is cut to whole entries, and says how to ask for the rest', async ({ layer }) => {
  const client = await connectAgent(layer.url);
  const whole = await client.callTool({ name: 'Customers', arguments: { first: 100 } });
  const cut = await client.callTool({ name: 'Customers', arguments: { first: 1_000 } });
  const { cut: note, data } = answerOf(cut);
  const next = await client.callTool({ name: 'Customers', arguments: { first: note?.lists[0].shown ?? 1 } });
  await client.close();

  expect(answerOf(whole)).not.toHaveProperty('cut');
  const [{ text = '' } = {}] = cut.content as { text?: string }[];
  expect(text.length).toBeLessThanOrEqual(100_000);
  expect(text.length).toBeGreaterThan(50_000);
  expect(note.message).toMatch(/first.*after.*endCursor/);
  expect(note.lists).toEqual([
    { path: 'data.company.customers.nodes', shown: data.company.customers.nodes.length, of: 300 },
  ]);
  expect(data.company.customers).not.toHaveProperty('pageInfo');
  expect(data.company.customers.totalCount).toBe(300);
  expect(cut.structuredContent).toEqual(answerOf(cut));
  expect(answerOf(next)).not.toHaveProperty('cut');
  expect(answerOf(next).data.company.customers.nodes).toEqual(data.company.customers.nodes);
  expect(answerOf(next).data.company.customers.pageInfo.endCursor).toEqual(expect.any(String));
});

test('a large answer of a mutation shows every result, and says not to repeat it', async ({ layer }) => {
  const client = await connectAgent(layer.url);
  const entries = Array.from({ length: 100 }, (_, at) => ({
    number: at === 80 ? '1000' : `CUT${at}`,
    displayName: 'x'.repeat(100),
  }));
  const result = await client.callTool({ name: 'ManyItems', arguments: { input: { entries } } });
  await client.close();

  const { cut, data } = answerOf(result);
  const { results } = data.createItems;
  expect(cut.message).toMatch(/Of each record, `id`, `etag`.*do not repeat it/);
  expect(results).toHaveLength(100);
  expect(results[99]).toEqual({
    item: { id: expect.any(String), etag: expect.any(String), number: 'CUT99' },
    userErrors: [],
  });
  expect(results[80]).toMatchObject({ item: { number: '1000' }, userErrors: [{ code: 'ALREADY_EXISTS' }] });
});

test.for([
  ['a variable of the wrong type', 'Customers', { first: 'many' }, 'BAD_USER_INPUT', 'first'],
  ['an argument that the tool does not have', 'Customers', { frist: 1 }, 'BAD_USER_INPUT', '"frist"'],
  ['a missing argument', 'Deep', {}, 'BAD_USER_INPUT', '$first'],
  ['too many rows', 'Deep', { first: 1_000 }, 'QUERY_TOO_COMPLEX', 'MAX_COST'],
] as const)('%s is an error with its code', async ([_what, name, args, code, part], { layer, sandbox }) => {
  const client = await connectAgent(layer.url);
  const result = await client.callTool({ name, arguments: args });
  await client.close();

  expect(result.isError).toBe(true);
  const [error] = answerOf(result).errors;
  expect(error.extensions).toMatchObject({ code, requestId: expect.any(String) });
  expect(error.message).toContain(part);
  expect(await sandbox.calls()).toEqual([]);
});

test('what an upstream refuses is an error beside the data of the others', async ({ layer, sandbox }) => {
  await sandbox.fault({ path: 'customers', status: 403, times: 1 });
  const client = await connectAgent(layer.url);
  const result = await client.callTool({ name: 'Both' });
  await client.close();

  expect(result.isError).toBe(true);
  expect(answerOf(result)).toMatchObject({
    data: { company: { items: { nodes: [{}] } } },
    errors: [{ path: ['company', 'customers'], extensions: { code: 'FORBIDDEN' } }],
  });
});

test('calls are logged and counted as operations and rejections of every transport are', async ({
  layer,
}) => {
  const send = (name: string, args: unknown, id: string) =>
    fetch(`${layer.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: 'Bearer any',
        'x-request-id': id,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
  const before = await layer.metrics();
  const response = await send('Customers', { first: 1 }, 'of-an-agent');
  await send('Deep', { first: 1_000 }, 'of-too-much');
  const after = await layer.metrics();

  expect(response.headers.get('content-type')).toContain('application/json');
  expect(layer.linesOf('of-an-agent')).toEqual([
    expect.objectContaining({ msg: 'operation', kind: 'query', name: 'Customers', code: 'OK', calls: 1 }),
  ]);
  expect(layer.linesOf('of-too-much')).toEqual([
    expect.objectContaining({ msg: 'refused', code: 'QUERY_TOO_COMPLEX' }),
  ]);
  const grown = (name: string, labels: Record<string, string>) =>
    after.of(name, labels) - before.of(name, labels);
  expect(grown('tributary_operations_total', { kind: 'query', outcome: 'OK' })).toBe(1);
  expect(grown('tributary_refusals_total', { code: 'QUERY_TOO_COMPLEX' })).toBe(1);
});
