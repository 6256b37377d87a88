import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { composeServices } from '@theguild/federation-composition';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLObjectType,
  graphql,
  isObjectType,
  parse,
  validateSchema,
} from 'graphql';
import { expect, test } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { createSchema } from '../../src/app/schema/schema.ts';
import { runShell, runTributary, startProcess, startTributary } from '../support/process.ts';

const anyPort = { PORT: '0' };

test('dev serves the graph and the sandbox, and what it prints to try works', async () => {
  const running = startTributary(['dev'], anyPort);
  const text = await running.printed(/-d '.*'\n/);
  const [, command = ''] = text.split('Try it:');

  const tried = await runShell(command);
  const explorer = await fetch(/Explorer +(\S+)/.exec(text)?.[1] ?? '');
  const operations = await fetch(/Console +(\S+)/.exec(text)?.[1] ?? '');
  const sandbox = await fetch(/Sandbox +(\S+)/.exec(text)?.[1] ?? '');
  const ended = await running.stop();

  expect(JSON.parse(tried.stdout).data.company.salesOrders.nodes).toHaveLength(2);
  expect(await explorer.text()).toContain('<title>Tributary explorer</title>');
  expect(await operations.text()).toContain('<title>Tributary console</title>');
  expect(await sandbox.json()).toHaveProperty('companies');
  expect(ended).toMatchObject({ code: 0, stderr: '' });
});

test('dev with trusted documents alone prints no query to try, which it would refuse', async () => {
  const running = startTributary(['dev'], {
    ...anyPort,
    TRUSTED_DOCUMENTS: 'examples/agent/generated/persisted-documents.json',
  });
  const text = await running.printed(/\(TRUSTED_DOCUMENTS\).*\n/);
  await running.stop();

  expect(text).toMatch(/^Graph .*\nExplorer .*\nConsole .*\nProbes .*\nSandbox .*\n\nOnly trusted documents/);
  expect(text).not.toContain('Try it');
});

test('a name in .env that is no setting, and one in the environment that is nearly one, stop the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  writeFileSync(join(folder, '.env'), 'ADMIN_PROT=0\nSANDBOX_URL=http://localhost\n');

  const inFile = await startProcess(process.execPath, [resolve('dist/main.js'), 'dev'], anyPort, folder)
    .ended;
  const inEnvironment = await runTributary(['check'], { BUSINESS_ULR: 'https://business.example' });

  rmSync(folder, { recursive: true });
  expect(inFile).toMatchObject({ code: 2, stdout: '' });
  expect(inFile.stderr.trim().split('\n').sort()).toEqual([
    'ADMIN_PROT is not a setting. Did you mean ADMIN_PORT?',
    'SANDBOX_URL is not a setting. `tributary settings` lists them.',
  ]);
  expect(inEnvironment).toMatchObject({
    code: 2,
    stderr: 'BUSINESS_ULR is not a setting. Did you mean BUSINESS_URL?\n',
  });
});

test('serve works over upstreams that are configured, and offers no explorer and no console unless asked', async () => {
  const sandbox = await startSandbox();
  const settings = {
    PORT: '0',
    BUSINESS_URL: sandbox.url,
    MANAGEMENT_URL: sandbox.url,
    OPERATION_SECRETS: 'a secret of the test',
  };
  const running = startTributary(['serve'], settings);
  const url = /at (\S+)\/graphql/.exec(await running.printed(/graphql[,"]/))?.[1];

  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer somebody' },
    body: '{"query":"{ companies { totalCount } }"}',
  });
  const pages = await Promise.all(['/', '/console'].map((path) => fetch(url + path)));
  const ended = await running.stop();
  await sandbox.stop();

  expect(await response.json()).toEqual({ data: { companies: { totalCount: 2 } } });
  expect(pages.map(({ status }) => status)).toEqual([404, 404]);
  expect(ended.code).toBe(0);
});

test('serve prints nothing but JSON lines, with levels by name', async () => {
  const running = startTributary(['serve'], { PORT: '0', MANAGEMENT_URL: 'http://127.0.0.1:1' });
  await running.printed(/readyz/);
  const { stdout, stderr } = await running.stop();

  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { level: 'warn', msg: expect.stringContaining('OPERATION_SECRETS is not set') },
    {
      level: 'info',
      msg: expect.stringMatching(/^The graph is at \S+\/graphql, probes are at \S+\/readyz$/),
    },
  ]);
  expect(stderr).toBe('');
});

test('serve without an upstream ends with 2 and says which settings it needs', async () => {
  const { code, stdout, stderr } = await runTributary(['serve'], anyPort);

  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain('BUSINESS_URL');
  expect(stderr).toContain('MANAGEMENT_URL');
});

test.for(['dev', 'serve', 'sandbox', 'check'])(
  '%s ends with 2 on bad settings and tells all of them at once',
  async (command) => {
    const settings = { PORT: 'http', BUSINESS_URL: 'ftp://x', OPERATION_SECRETS: 'short', LOG_LEVEL: 'loud' };

    const { code, stderr } = await runTributary([command], settings);

    expect(code).toBe(2);
    expect(stderr.trim().split('\n')).toHaveLength(4);
    expect(stderr).toContain('PORT is "http": expected a port, 0 to 65535');
    expect(stderr).toContain('BUSINESS_URL is "ftp://x": expected an http or https URL');
    expect(stderr).toContain('LOG_LEVEL is "loud": expected');
    expect(stderr).toContain('OPERATION_SECRETS: expected');
    expect(stderr).not.toContain('short');
  },
);

test('check ends with 0 on good settings', async () => {
  const { code, stdout } = await runTributary(['check'], { BUSINESS_URL: 'https://business.example/base' });

  expect(code).toBe(0);
  expect(stdout).toContain('valid');
});

test('dev listens on loopback only', async () => {
  const { code, stderr } = await runTributary(['dev'], { ...anyPort, HOST: '0.0.0.0' });

  expect(code).toBe(2);
  expect(stderr).toContain('HOST');
});

test('a port that is taken is named, with the setting that changes it', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const { code, stderr } = await runTributary(['sandbox', '--port', String(port)]);
  server.close();

  expect(code).toBe(1);
  expect(stderr).toContain(`Port ${port} is in use`);
  expect(stderr).toContain('--port');
});

test('sandbox alone prints the settings that point a layer at it', async () => {
  const running = startTributary(['sandbox'], anyPort);
  const text = await running.printed(/MANAGEMENT_URL=\S+/);

  const response = await fetch(`${/BUSINESS_URL=(\S+)/.exec(text)?.[1]}/api/v2.0/companies`, {
    headers: { authorization: 'Bearer somebody' },
  });
  const ended = await running.stop();

  expect(response.status).toBe(200);
  expect(ended.code).toBe(0);
});

test('schema prints the SDL of what clients see', async () => {
  const { code, stdout } = await runTributary(['schema']);

  const printed = buildSchema(stdout);
  expect(code).toBe(0);
  expect(validateSchema(printed)).toEqual([]);
  expect(stdout).not.toMatch(/@key|@shareable|@link|_entities/);
  // Nothing is added, lost or changed on the way, descriptions included.
  const served = createSchema();
  for (const type of Object.values(printed.getTypeMap()).filter(isObjectType)) {
    const fields = (served.getType(type.name) as GraphQLObjectType).getFields();
    const ofClients = Object.entries(fields).filter(([name]) => !['_entities', '_service'].includes(name));
    const told = (field: GraphQLField<unknown, unknown>) => [
      field.name,
      String(field.type),
      field.description,
    ];
    expect(Object.values(type.getFields()).map(told)).toEqual(ofClients.map(([, field]) => told(field)));
  }
  const names = Object.keys(served.getTypeMap()).filter((name) => /^[A-Z]/.test(name));
  expect(Object.keys(printed.getTypeMap())).toEqual(expect.arrayContaining(names));
});

test('schema --subgraph prints the SDL that the subgraph serves for composition', async () => {
  const { code, stdout } = await runTributary(['schema', '--subgraph']);

  const served = await graphql({ schema: createSchema(), source: '{ _service { sdl } }' });
  const { errors, supergraphSdl } = composeServices([{ name: 'tributary', typeDefs: parse(stdout) }]);
  expect(code).toBe(0);
  expect({ _service: { sdl: stdout.trim() } }).toEqual(served.data);
  expect(errors ?? []).toEqual([]);
  expect(supergraphSdl).toContain('join__type');
});

const commands = ['dev', 'serve', 'sandbox', 'check', 'settings', 'healthcheck', 'schema', 'add'];

test.for(commands)('%s --help has its flags and examples', async (command) => {
  const { code, stdout } = await runTributary([command, '--help']);

  expect(code).toBe(0);
  expect(stdout).toContain('Options:');
  expect(stdout).toMatch(new RegExp(`Examples:\n(.*tributary ${command}.*\n)+$`));
});

test.for([
  ['serve', { MANAGEMENT_URL: 'http://127.0.0.1:1' }],
  ['dev', { MANAGEMENT_URL: 'http://127.0.0.1:1', BUSINESS_URL: 'http://127.0.0.1:1' }],
] as const)('%s --port has precedence over PORT', async ([command, settings]) => {
  const running = startTributary([command, '--port', '5541'], { PORT: '5542', ...settings });
  const text = await running.printed(/\/graphql/);
  await running.stop();
  const wrong = await runTributary([command, '--port', 'http'], settings);

  expect(text).toContain('http://127.0.0.1:5541/graphql');
  expect(wrong).toMatchObject({
    code: 2,
    stderr: 'PORT is "http": expected a port, 0 to 65535.\n',
  });
});

test('a Node.js that is too old is refused in a sentence, before anything is loaded', async () => {
  const pretended = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.4' } })`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(pretended)}`;

  const { code, stdout, stderr } = await runTributary(['serve'], { NODE_OPTIONS });

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    /^Tributary needs Node\.js 20\.20 or newer, and this is 20\.19\.4\. Install .*\.\n$/,
  );
});

test('help names every command, and an unknown one or none ends with 2', async () => {
  const help = await runTributary(['--help']);
  const unknown = await runTributary(['nonsense']);
  const others = await Promise.all([runTributary([]), runTributary(['help', 'nonsense'])]);

  expect(help.code).toBe(0);
  for (const command of commands) expect(help.stdout).toContain(`  ${command}`);
  expect([unknown, ...others].map(({ code }) => code)).toEqual([2, 2, 2]);
  expect(unknown.stderr).toContain("unknown command 'nonsense'");
});

test.for(['SIGINT', 'SIGTERM'] as const)('%s lets a request in flight finish', async (signal) => {
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const upstream = createServer((_request, response) => {
    asked();
    setTimeout(() => response.end('{"value":[]}'), 500);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const running = startTributary(['serve'], { PORT: '0', BUSINESS_URL: address });
  const text = await running.printed(/graphql[,"]/);
  const url = /at (\S+)\/graphql/.exec(text)?.[1];
  const answer = fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer somebody' },
    body: '{"query":"{ companies { nodes { id } } }"}',
  }).then((response) => response.json());
  await isAsked;

  const ended = await running.stop(signal);

  expect(await answer).toEqual({ data: { companies: { nodes: [] } } });
  expect(ended.code).toBe(0);
  // Handles of a layer whose secrets are its own alone end with it.
  expect(text + ended.stdout).toContain('OPERATION_SECRETS is not set');
  upstream.closeAllConnections();
  upstream.close();
});

test('dev serves a configured area from its address, the other from the sandbox, without a company of the sandbox', async () => {
  const seen: string[] = [];
  const upstream = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('{"value":[]}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  const running = startTributary(['dev'], { ...anyPort, BUSINESS_URL: `http://127.0.0.1:${port}` });
  const printed = await running.printed(/Sandbox.*\n/);
  const url = /Graph +(\S+)/.exec(printed)?.[1] ?? '';
  const ask = async (query: string) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer somebody' },
      body: JSON.stringify({ query }),
    });
    return response.text();
  };

  const companies = await ask('{ companies { nodes { id } } healthEvent(trackingId: "SI_1-QRT") { scope } }');
  const company = await ask('{ company { id } }');
  await running.stop();
  upstream.closeAllConnections();
  upstream.close();

  expect(printed).not.toContain('Bearer');
  expect(JSON.parse(companies)).toEqual({
    data: { companies: { nodes: [] }, healthEvent: { scope: 'tenant' } },
  });
  expect(seen).toHaveLength(1);
  expect(company).toContain('Name the company');
  expect(company).not.toContain('stacktrace');
});

test.for([
  ['dev', 'off', 404],
  ['serve', 'on', 200],
] as const)('%s with PAGES=%s answers / with %s', async ([command, PAGES, status]) => {
  const running = startTributary([command], { ...anyPort, PAGES, MANAGEMENT_URL: 'http://127.0.0.1:1' });
  const url = /(http:\S+)\/graphql/.exec(await running.printed(/graphql[,"\n]/))?.[1];

  const response = await fetch(`${url}/`);
  const html = await response.text();
  const settings = /\/pages\/\w+\/explorer\/settings\.js/.exec(html)?.[0];
  const text = settings === undefined ? '' : await (await fetch(url + settings)).text();
  await running.stop();

  expect(response.status).toBe(status);
  expect(text).toEqual(command === 'serve' ? expect.stringContaining('"token":null') : '');
});
