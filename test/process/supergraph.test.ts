import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { management, postQuery, tokens, watchers } from '../support/gateway.ts';
import { startTestLayer, type TestLayer } from '../support/layer.ts';
import { actionInput, collect, place, progress, stop } from '../support/operations.ts';
import { type Running, runShell, startScript } from '../support/process.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** A step on the way to a server, which sees the headers of every request. */
async function startHop(target: string) {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((incoming, answer) => {
    const { method, url, headers } = incoming;
    seen.push(headers);
    const outgoing = request(new URL(url ?? '/', target), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(answer);
    });
    answer.once('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    seen,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

let sandbox: TestSandbox;
let layer: TestLayer;
let gateway: string;
const scripts: Running[] = [];
const hops: Awaited<ReturnType<typeof startHop>>[] = [];

async function start(script: string, settings: Record<string, string>): Promise<string> {
  const running = startScript([`examples/supergraph/${script}.mjs`], settings);
  scripts.push(running);
  return / at (\S+)\n/.exec(await running.printed(/ at \S+\n/))?.[1] ?? '';
}

beforeAll(async () => {
  const notes = start('notes', { NOTES_PORT: '0' });
  sandbox = await startTestSandbox({ stepMs: 500 });
  const settings = { MANAGEMENT_TOKEN_HEADER: 'x-management', POLL_RECORDS_MS: '50' };
  layer = await startTestLayer(sandbox.url, settings);
  hops.push(await startHop(layer.url), await startHop(await notes));
  const [TRIBUTARY_URL = '', NOTES_URL = ''] = hops.map(({ url }) => url);
  const ofGateway = { GATEWAY_PORT: '0', MANAGEMENT_TOKEN_HEADER: 'x-management' };
  gateway = await start('gateway', { ...ofGateway, TRIBUTARY_URL, NOTES_URL });
});

beforeEach(async () => {
  await sandbox.reset();
  for (const { seen } of hops) seen.length = 0;
});

afterAll(async () => {
  await Promise.all(scripts.map((running) => running.stop()));
  for (const hop of hops) hop.stop();
  await layer.stop();
  await sandbox.stop();
});

const ask = (query: string, variables: object = {}, headers: Readonly<Record<string, string>> = tokens) =>
  postQuery(gateway, query, variables, headers);

describe('a subscription', () => {
  test('tells clients of either transport the progress of a stop to its end', async () => {
    const { data } = await ask(stop, { input: actionInput({ ...place, applicationInstanceName: 'app01' }) });
    const { id } = data.stopApplicationInstance.operation;

    const [bySse, byWs] = await Promise.all([
      collect(watchers.sse(gateway, progress, { id })),
      collect(watchers.ws(gateway, progress, { id })),
    ]);

    for (const states of [bySse, byWs]) {
      expect(states[0]).toMatchObject({ id, state: 'RUNNING' });
      expect(states.at(-1)).toMatchObject({ id, state: 'SUCCEEDED', percentComplete: 100 });
    }
  });
});

describe('what a router has to pass on', () => {
  const [, table = ''] = /\| header \|.*\n\|.*\n((?:\|.*\n)+)/.exec(textOf('docs/federation.md')) ?? [];
  const documented = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, header]) => header);
  const sent: Readonly<Record<string, string>> = {
    authorization: tokens.authorization,
    MANAGEMENT_TOKEN_HEADER: management,
    'x-request-id': 'of-the-client',
    'accept-language': 'da',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'x-request-timeout': '5000',
    'tributary-explain': '1',
    'tributary-read': 'primary',
  };
  const nameOf = (header: string) => (header === 'MANAGEMENT_TOKEN_HEADER' ? 'x-management' : header);
  const headers = Object.fromEntries(Object.entries(sent).map(([name, value]) => [nameOf(name), value]));
  const query =
    '{ notes(first: 1) { nodes { customer { displayName } } } healthEvent(trackingId: "SI_1-QRT") { title } }';

  test('is what is documented, and arrives with every request', async () => {
    expect(documented).toEqual(Object.keys(sent));

    const { errors } = await ask(query, {}, headers);

    expect(errors).toBeUndefined();
    expect(hops[0]?.seen.length).toBeGreaterThan(0);
    for (const seen of hops[0]?.seen ?? []) expect(seen).toMatchObject(headers);
    const areas = new Set((await sandbox.calls()).map(({ path }) => path.split('/')[1]));
    expect(areas).toEqual(new Set(['api', 'providers']));
  });

  test('goes to no other subgraph: no token does', async () => {
    await ask(query, {}, headers);

    expect(hops[1]?.seen.length).toBeGreaterThan(0);
    for (const seen of hops[1]?.seen ?? []) expect(JSON.stringify(seen)).not.toContain('a-token');
  });
});

test('the example that one command starts answers what its README asks, and ends as a whole', async () => {
  const readme = textOf('examples/supergraph/README.md');
  const [, name = ''] = /```sh\nnpm run (\S+)\n/.exec(readme) ?? [];
  const [, script = ''] = /^node (\S+)$/.exec(JSON.parse(textOf('package.json')).scripts[name]) ?? [];
  const [, command = '', answer = ''] =
    /```sh\n(curl[\s\S]*?)```\n+```json\n([\s\S]*?)```/.exec(readme) ?? [];
  const whole = startScript([script], { PORT: '0', ADMIN_PORT: 'off', NOTES_PORT: '0', GATEWAY_PORT: '0' });
  const printed = await whole.printed(/Sandbox +\S+\n/);
  const url = /Supergraph +(\S+)/.exec(printed)?.[1] ?? '';

  const { stdout } = await runShell(command.replace('http://127.0.0.1:4200/graphql', url));

  expect(JSON.parse(stdout)).toEqual(JSON.parse(answer));
  expect(await whole.stop()).toMatchObject({ code: 0, stderr: '' });
  await expect(fetch(url)).rejects.toThrow();
});
