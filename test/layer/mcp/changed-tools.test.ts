import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { connectAgent, type Revision, writeManifest } from '../../support/mcp.ts';

// No tool is called here that needs an upstream.
const nowhere = 'http://127.0.0.1:9';
const before = 'query Before { __typename }';
const after = 'query After { __typename }';

async function startAgent(revision: Revision = '2026-07-28') {
  const manifest = writeManifest([before]);
  const settings = { MCP: 'on', TRUSTED_DOCUMENTS: 'require', TRUSTED_DOCUMENTS_MANIFEST: manifest.path };
  const layer = await startTestLayer(nowhere, settings);
  const client = await connectAgent(layer.url, { revision });
  onTestFinished(async () => {
    await client.close();
    await layer.stop();
    manifest.remove();
  });
  return {
    layer,
    client,
    change: (documents: Readonly<Record<string, string>>) =>
      writeFileSync(manifest.path, JSON.stringify(documents)),
    listNames: async () => (await client.listTools()).tools.map(({ name }) => name),
  };
}

test('tools follow a manifest that is reloaded, and subscribers are told', async () => {
  const { layer, client, change, listNames } = await startAgent();
  let told = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    told += 1;
  });
  const subscription = await client.listen({ toolsListChanged: true });
  expect(subscription.honoredFilter).toEqual({ toolsListChanged: true });
  expect(await listNames()).toContain('Before');

  change({ one: after });
  await layer.reload({});

  await expect.poll(() => told).toBe(1);
  expect(await listNames()).toContain('After');
  expect(await listNames()).not.toContain('Before');
  expect((await client.callTool({ name: 'After', arguments: {} })).isError).not.toBe(true);
  await expect(client.callTool({ name: 'Before', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  await subscription.close();
});

test('a reload that leaves the tools as they are tells nobody', async () => {
  const { layer, client, change } = await startAgent();
  let told = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    told += 1;
  });
  const subscription = await client.listen({ toolsListChanged: true });

  await layer.reload({ MAX_COST: '10' });
  change({ one: after });
  await layer.reload({ MAX_COST: '20' });

  await expect.poll(() => told).toBe(1);
  await subscription.close();
});

test('tools keep the limits of documents that are reloaded', async () => {
  const { layer, listNames } = await startAgent();

  await layer.reload({ MAX_TOKENS: '3' });

  expect(await listNames()).not.toContain('Before');
  expect(layer.lines()).toContainEqual(
    expect.objectContaining({ operation: 'Before', msg: 'A trusted document is no tool (MCP).' }),
  );
});

test('the revisions with `initialize` have no stream for the change: it is not promised', async () => {
  const { layer, client, change, listNames } = await startAgent('2025-11-25');
  expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: false });

  change({ one: after });
  await layer.reload({});

  expect(await listNames()).toContain('After');
});

test('a cursor of tools that have changed is an invalid parameter', async () => {
  const { layer, client, change } = await startAgent();
  const many = Array.from({ length: 30 }, (_, at) => [
    `id${at}`,
    `query Find${at}($filter: CustomerFilter) { company { customers(filter: $filter) { totalCount } } }`,
  ]);
  change(Object.fromEntries(many));
  await layer.reload({});
  const { nextCursor: cursor } = await client.request({ method: 'tools/list', params: {} });
  expect((await client.request({ method: 'tools/list', params: { cursor } })).tools).not.toEqual([]);

  change(Object.fromEntries(many.slice(1)));
  await layer.reload({});

  await expect(client.request({ method: 'tools/list', params: { cursor } })).rejects.toMatchObject({
    code: -32602,
  });
});
