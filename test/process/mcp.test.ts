import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, Progress } from '@modelcontextprotocol/client';
import { expect, onTestFinished } from 'vitest';
import { startTestLayer, testToken, testWith } from '../support/layer.ts';
import { answerOf, connectByHttp, connectByStdio, startMcp } from '../support/mcp.ts';
import { runTributary } from '../support/process.ts';
import { startTestSandbox } from '../support/sandbox.ts';

// A stop takes two seconds: long enough for a busy machine to report it while it runs.
const test = testWith({ stepMs: 400 }, { PAGES: 'off' });

const ways = [
  ['stdio', '2025-11-25', connectByStdio],
  ['HTTP', '2026-07-28', connectByHttp],
] as const;

const stopping = (applicationInstanceName: string) => ({
  name: 'StopApplicationInstance',
  arguments: {
    subscriptionId: '11111111-2222-4333-8444-555555555555',
    resourceGroupName: 'rg-north',
    virtualInstanceName: 'N01',
    applicationInstanceName,
  },
});

test.for(ways)(
  'over %s (%s), the operations of a folder are tools, and the progress of a stop is reported to its end',
  async ([name, revision, connect], { layer }) => {
    const client = await connect({ url: `${layer.url}/graphql`, revision });
    const { tools } = await client.listTools();
    const result = await client.callTool({ name: 'FindCustomers', arguments: { first: 2 } });
    const reports: Progress[] = [];
    const stopped = await client.callTool(stopping('app01'), {
      onprogress: (report) => reports.push(report),
    });

    expect(
      tools
        .map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint])
        .sort(),
    ).toEqual([
      ['CreateSalesOrder', false, false],
      ['FindCustomers', true, false],
      ['FindItems', true, false],
      ['FindSalesOrders', true, false],
      ['ListHealthEvents', true, false],
      ['ListVirtualInstances', true, false],
      ['ReadOperation', true, false],
      ['StartApplicationInstance', false, false],
      ['StopApplicationInstance', false, true],
      ['UpdateCustomer', false, true],
    ]);
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toEqual(answerOf(result));
    expect(answerOf(result)).toMatchObject({
      data: { company: { customers: { totalCount: 300, nodes: [{}, {}] } } },
    });
    const percents = reports.map(({ progress }) => progress);
    expect(percents.length).toBeGreaterThan(1);
    expect(percents).toEqual([...new Set(percents)].sort((one, other) => one - other));
    // Over stdio the client drops a notification that it reads together with the result.
    if (name === 'HTTP')
      expect(reports.at(-1)).toMatchObject({ progress: 100, total: 100, message: 'SUCCEEDED' });
    expect(stopped.structuredContent).toMatchObject({
      data: { stopApplicationInstance: { operation: { state: 'RUNNING' }, userErrors: [] } },
      progress: { operation: { state: 'SUCCEEDED', percentComplete: 100 } },
    });
  },
);

test('a stop answers at once without a progress token, and with one after the time of --follow', async () => {
  const sandbox = await startTestSandbox({ stepMs: 60_000 });
  const layer = await startTestLayer(sandbox.url);
  onTestFinished(async () => {
    await layer.stop();
    await sandbox.stop();
  });
  const client = await connectByStdio({ url: `${layer.url}/graphql`, flags: ['--follow', '1'] });
  const atOnce = await client.callTool(stopping('app01'));
  const followed = await client.callTool(stopping('fragile'), { onprogress: () => {} });

  const data = { stopApplicationInstance: { operation: { id: expect.any(String) } } };
  expect(answerOf(atOnce)).toMatchObject({ data });
  expect(answerOf(atOnce)).not.toHaveProperty('progress');
  expect(answerOf(followed)).toMatchObject({ data, progress: { operation: { state: 'RUNNING' } } });
});

/** A folder with these operations, for the time of a test. */
function folderOf(operations: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-operations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'operations.graphql'), operations);
  return folder;
}

test('mistakes and refusals are errors with what the endpoint says of them', async ({ layer, sandbox }) => {
  const names = Array.from({ length: 25 }, (_, at) => `n${at}: displayName`).join(' ');
  const documents = folderOf(`
    query Customers($first: Int) { company { customers(first: $first) { nodes { ${names} } } } }
    query Both { company { customers(first: 1) { nodes { number } } items(first: 1) { nodes { number } } } }
    query Needs($first: Int!) { company { customers(first: $first) { totalCount } } }
  `);
  const client = await connectByStdio({ url: `${layer.url}/graphql`, documents });
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args });
    expect(result.isError).toBe(true);
    return answerOf(result);
  };
  const unknown = await call('Customers', { frist: 1 });
  const missing = await call('Needs', {});
  const long = await call('Customers', { first: 1_000 });
  await sandbox.fault({ path: 'customers', status: 403, times: 1 });
  const partial = await call('Both', {});

  expect(unknown.errors[0].message).toBe('The tool has no argument "frist". It takes first.');
  expect(missing.errors[0]).toMatchObject({
    message: expect.stringContaining('$first'),
    extensions: { code: 'BAD_USER_INPUT', requestId: expect.any(String) },
  });
  expect(long.errors[0].message).toMatch(/^The answer has \d{6} characters; the limit is 100000\. .*`first`/);
  expect(partial).toMatchObject({
    data: { company: { items: { nodes: [{}] } } },
    errors: [{ path: ['company', 'customers'], extensions: { code: 'FORBIDDEN' } }],
  });
  await expect(client.callTool({ name: 'hasOwnProperty' })).rejects.toThrow('no tool "hasOwnProperty"');
});

/** An endpoint that answers as it is told, and keeps what it was sent. */
async function startEndpoint(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const received: { readonly authorization: string | undefined; isOpen: boolean }[] = [];
  const server = createServer((incoming, response) => {
    const call = { authorization: incoming.headers.authorization, isOpen: true };
    received.push(call);
    response.on('close', () => {
      call.isOpen = false;
    });
    incoming.resume().on('end', () => answer(response, incoming));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql` };
}

const callCustomers = async (client: Client) => {
  const result = await client.callTool({ name: 'FindCustomers' });
  return { isError: result.isError, text: JSON.stringify(result) };
};

test('the token goes to the endpoint alone', async () => {
  const elsewhere = await startEndpoint((response) => response.end('{"data":{}}'));
  const redirecting = await startEndpoint((response) =>
    response.writeHead(307, { location: elsewhere.url }).end(),
  );
  const client = await connectByStdio({ url: redirecting.url });
  const { isError, text } = await callCustomers(client);

  expect(isError).toBe(true);
  expect(text).toContain('HTTP 307');
  expect(text).not.toContain(testToken);
  expect(redirecting.received.map(({ authorization }) => authorization)).toEqual([`Bearer ${testToken}`]);
  expect(elsewhere.received).toEqual([]);
});

test('an endpoint that is not there, or no GraphQL endpoint, is an error without the token', async () => {
  const broken = await startEndpoint((response) => response.writeHead(502).end('<h1>Bad Gateway</h1>'));
  const odd = `${testToken}\u00e9`;
  const there = await callCustomers(await connectByStdio({ url: broken.url }));
  const nowhere = await callCustomers(await connectByStdio({ url: 'http://127.0.0.1:9/graphql' }));
  const wrong = await runTributary(['mcp', 'examples/agent/operations'], { TRIBUTARY_TOKEN: odd });

  expect(there).toEqual({ isError: true, text: expect.stringContaining('HTTP 502') });
  expect(nowhere).toEqual({ isError: true, text: expect.stringContaining('cannot be reached (') });
  expect(there.text + nowhere.text).not.toContain(testToken);
  expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^TRIBUTARY_TOKEN: /) });
  expect(wrong.stderr).not.toContain(testToken);
});

test.for(ways)(
  'over %s (%s), a query ends with its call, and a change goes on',
  async ([name, revision, connect]) => {
    const { received, url } = await startEndpoint(() => {});
    const documents = folderOf(`
      query Read { companies { totalCount } }
      mutation Change { createCustomer(input: { displayName: "Held" }) { userErrors { code } } }
    `);
    const client = await connect({ url, documents, revision });
    const leave = async (tool: string) => {
      const leaving = new AbortController();
      const call = client.callTool({ name: tool }, { signal: leaving.signal });
      const count = received.length;
      await expect.poll(() => received.length).toBe(count + 1);
      leaving.abort();
      await expect(call).rejects.toThrow();
    };
    await leave('Change');
    await leave('Read');
    // Of the earlier revision, a server without sessions learns of it when the client disconnects.
    if (name === 'HTTP') await client.close();

    await expect.poll(() => received.map(({ isOpen }) => isOpen)).toEqual([true, false]);
  },
);

const sendWithHost = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { host, 'content-type': 'application/json' } });
    sent.on('response', (response) => resolve(response.statusCode)).on('error', reject);
    sent.end('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  });

test('over HTTP, a call has the authorization of its own request alone, and foreign origins and hosts are refused', async () => {
  const { received, url: endpoint } = await startEndpoint((response) => response.end('{"data":{}}'));
  const { url, running } = await startMcp({
    url: endpoint,
    documents: folderOf('query Outdated { nope } query FindCustomers { __typename }'),
    flags: ['--allow', 'tools.example, other.example'],
  });
  const call = (headers: Record<string, string>) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'FindCustomers', arguments: {} },
      }),
    });
  for (const headers of [{ authorization: 'Bearer ann' }, {}, { authorization: 'Bearer bob' }])
    expect((await call(headers as Record<string, string>)).status).toBe(200);
  const rejected = [
    await call({ origin: 'https://evil.example' }),
    await call({ origin: 'null' }),
    await fetch(url),
    await fetch(url.replace(/mcp$/, 'graphql'), { method: 'POST' }),
  ];
  const hosts = ['localhost:1', 'tools.example', 'other.example:443', 'evil.example'];
  const ofHosts = await Promise.all(hosts.map((host) => sendWithHost(url, host)));
  const { code, stderr } = await running.stop();

  expect(received.map(({ authorization }) => authorization)).toEqual(['Bearer ann', undefined, 'Bearer bob']);
  expect(rejected.map(({ status }) => status)).toEqual([403, 403, 405, 404]);
  expect(ofHosts).toEqual([406, 406, 406, 403]);
  expect(new URL(url).hostname).toBe('127.0.0.1');
  expect(code).toBe(0);
  // What can be no tool is named.
  expect(stderr).toMatch(
    /^This operation is no tool\. operations\.graphql: Outdated: Cannot query field "nope" on type "Query"\..*\n$/,
  );
});

test.for([
  [
    ['examples/agent/operations', '--url', 'http://ann:secret@graph.example'],
    2,
    /^--url: expected .* without a user name/,
  ],
  [['examples/agent/operations', '--schema', 'none.graphql'], 1, /none\.graphql/],
  [['docs/images'], 1, /docs\/images has no query or mutation that can be a tool/],
] as const)('mcp %j ends with %i and why', async ([args, code, message]) => {
  const ended = await runTributary(['mcp', ...args]);

  expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  expect(ended.stderr).not.toContain('secret');
});
