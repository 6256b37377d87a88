import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, graphql, validateSchema } from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { createSchema } from '../../src/app/schema/schema.ts';
import { freePort } from '../support/free-port.ts';
import { runShell, runTributary, startTributary } from '../support/process.ts';

/** An upstream of area A without a company, and the paths that it was asked. */
async function startUpstream(delayMs = 0) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    setTimeout(() => response.end('{"value":[]}'), delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function ask(graph: string, query: string): Promise<string> {
  const response = await fetch(graph, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer somebody' },
    body: JSON.stringify({ query }),
  });
  return response.text();
}

test('dev serves the graph and the sandbox, and what it prints to try works', async () => {
  const running = startTributary(['dev'], { PORT: '0' });
  const text = await running.printed(/-d '.*'\n/);
  const [, command = ''] = text.split('Try it:');
  const addressOf = (name: string) => new RegExp(`${name} +(\\S+)`).exec(text)?.[1] ?? '';

  const tried = await runShell(command);
  const explorer = await fetch(addressOf('Explorer'));
  const operations = await fetch(addressOf('Console'));
  const sandbox = await fetch(addressOf('Sandbox'));
  const ended = await running.stop();

  expect(JSON.parse(tried.stdout).data.company.salesOrders.nodes).toHaveLength(2);
  expect(await explorer.text()).toContain('<title>Tributary explorer</title>');
  expect(await operations.text()).toContain('<title>Tributary console</title>');
  expect(await sandbox.json()).toHaveProperty('companies');
  expect(ended).toMatchObject({ code: 0, stderr: '' });
});

test('dev takes an area from its address, the other from the sandbox, and prints no token of the sandbox', async () => {
  const upstream = await startUpstream();
  const port = String(await freePort());
  const running = startTributary(['dev', '--port', port], {
    PORT: '1',
    PAGES: 'off',
    BUSINESS_URL: upstream.url,
  });
  const printed = await running.printed(/Sandbox.*\n/);
  const graph = `http://127.0.0.1:${port}/graphql`;

  const page = await fetch(`http://127.0.0.1:${port}/`);
  const companies = await ask(
    graph,
    '{ companies { nodes { id } } healthEvent(trackingId: "SI_1-QRT") { scope } }',
  );
  const company = await ask(graph, '{ company { id } }');
  await running.stop();

  // The flag has precedence over PORT.
  expect(printed).toContain(`Graph     ${graph}\n`);
  expect(printed).not.toMatch(/Bearer|Explorer|Console/);
  expect(page.status).toBe(404);
  expect(JSON.parse(companies)).toEqual({
    data: { companies: { nodes: [] }, healthEvent: { scope: 'tenant' } },
  });
  expect(upstream.seen).toHaveLength(1);
  expect(company).toContain('Name the company');
  expect(company).not.toContain('stacktrace');
});

test('serve offers no pages unless asked, prints JSON lines alone, and SIGINT lets a request in flight finish', async () => {
  const upstream = await startUpstream(500);
  const running = startTributary(['serve'], { PORT: '0', BUSINESS_URL: upstream.url });
  const url = /at (\S+)\/graphql/.exec(await running.printed(/readyz/))?.[1];
  const pages = await Promise.all(['/', '/console'].map((path) => fetch(url + path)));
  const answer = ask(`${url}/graphql`, '{ companies { nodes { id } } }');
  await expect.poll(() => upstream.seen.length).toBe(1);

  const { code, stdout, stderr } = await running.stop('SIGINT');

  expect(JSON.parse(await answer)).toEqual({ data: { companies: { nodes: [] } } });
  expect(pages.map(({ status }) => status)).toEqual([404, 404]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', msg: expect.stringContaining('OPERATION_SECRETS is not set') },
    {
      level: 'info',
      msg: expect.stringMatching(/^The graph is at \S+\/graphql, probes are at \S+\/readyz$/),
    },
  ]);
});

test('schema prints the SDL of what clients see', async () => {
  const { code, stdout } = await runTributary(['schema']);

  const printed = buildSchema(stdout);
  expect(code).toBe(0);
  expect(validateSchema(printed)).toEqual([]);
  expect(stdout).not.toMatch(/@key|@shareable|@link|_entities/);
});

test('schema --subgraph prints the SDL that the subgraph serves for composition', async () => {
  const { code, stdout } = await runTributary(['schema', '--subgraph']);

  const served = await graphql({ schema: createSchema(), source: '{ _service { sdl } }' });
  expect(code).toBe(0);
  expect({ _service: { sdl: stdout.trim() } }).toEqual(served.data);
});

test('help names every command, and none ends with 2', async () => {
  const help = await runTributary(['--help']);
  const none = await runTributary([]);

  expect(help.code).toBe(0);
  const commands = ['dev', 'serve', 'sandbox', 'check', 'settings', 'healthcheck', 'schema', 'add', 'mcp'];
  for (const command of commands) expect(help.stdout).toContain(`  ${command}`);
  expect(none.code).toBe(2);
});
