import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { writeManifest } from '../../support/mcp.ts';

/** A layer before an upstream that rejects every call, but only when it is told to; `open` counts the calls it holds. */
async function startBeforeSilence() {
  const upstream = { open: 0, answer() {} };
  const held: (() => void)[] = [];
  const server = createServer((request, response) => {
    upstream.open += 1;
    response.on('close', () => {
      upstream.open -= 1;
    });
    request.resume();
    held.push(() => response.writeHead(403, { 'content-type': 'application/json' }).end('{}'));
  });
  upstream.answer = () => {
    for (const answer of held.splice(0)) answer();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const manifest = writeManifest([
    'query Read { company { customers(first: 1) { nodes { id } } } }',
    'mutation Change { createCustomer(input: { displayName: "Held" }) { userErrors { code } } }',
  ]);
  const layer = await startTestLayer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    MCP: 'on',
    ADMIN_PORT: '0',
    TRUSTED_DOCUMENTS: 'require',
    TRUSTED_DOCUMENTS_MANIFEST: manifest.path,
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await layer.stop();
    manifest.remove();
  });
  return { upstream, layer };
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Calls a tool as a client of either revision does. */
function call(url: string, name: string, isLegacy: boolean) {
  const leaving = new AbortController();
  const answer = fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: 'Bearer any',
      ...(!isLegacy && {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: {}, ...(!isLegacy && { _meta: meta }) },
    }),
    signal: leaving.signal,
  }).catch(() => null);
  return { answer, leave: () => leaving.abort() };
}

const revisions = [
  ['2026-07-28', false],
  ['an earlier one', true],
] as const;

test.for(revisions)(
  'a query ends with its client, and its slot is free (%s)',
  async ([_revision, isLegacy]) => {
    const { upstream, layer } = await startBeforeSilence();
    const inFlight = async () => (await layer.metrics()).of('tributary_requests_in_flight');
    const { leave } = call(layer.url, 'Read', isLegacy);
    await expect.poll(() => upstream.open).toBe(1);
    expect(await inFlight()).toBe(1);
    leave();

    await expect.poll(() => upstream.open).toBe(0);
    await expect.poll(inFlight).toBe(0);
  },
);

test.for(revisions)(
  'a change goes on without its client, and holds its slot until its end (%s)',
  async ([_revision, isLegacy]) => {
    const { upstream, layer } = await startBeforeSilence();
    const inFlight = async () => (await layer.metrics()).of('tributary_requests_in_flight');
    const { answer, leave } = call(layer.url, 'Change', isLegacy);
    await expect.poll(() => upstream.open).toBe(1);
    leave();
    await answer;
    // An answer to another request: the server has noticed by then.
    await layer.metrics();

    expect([upstream.open, await inFlight()]).toEqual([1, 1]);
    await expect
      .poll(async () => {
        upstream.answer();
        return inFlight();
      })
      .toBe(0);
    expect(layer.lines().filter(({ msg }) => msg === 'operation')).toMatchObject([
      { name: 'Change', kind: 'mutation' },
    ]);
  },
);
