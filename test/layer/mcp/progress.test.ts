import type { Client } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { answerOf, connectAgent } from '../../support/mcp.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

const stopping = {
  name: 'StopApplicationInstance',
  arguments: {
    subscriptionId: '11111111-2222-4333-8444-555555555555',
    resourceGroupName: 'rg-north',
    virtualInstanceName: 'N01',
    applicationInstanceName: 'app01',
  },
};

/** A stop takes longer than a test. */
async function start(settings: Record<string, string> = {}) {
  const sandbox = await startTestSandbox({ stepMs: 60_000 });
  const layer = await startTestLayer(sandbox.url, {
    MCP: 'on',
    ADMIN_PORT: '0',
    MAX_REQUESTS: '4',
    TRUSTED_DOCUMENTS: 'require',
    TRUSTED_DOCUMENTS_MANIFEST: 'examples/agent/generated/persisted-documents.json',
    ...settings,
  });
  const client = await connectAgent(layer.url);
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await layer.stop();
    isStopped = true;
  };
  onTestFinished(async () => {
    await client.close();
    await stop();
    await sandbox.stop();
  });
  return { sandbox, layer, client, stop };
}

/** Begins a stop; resolves once its progress is reported, to what becomes of the call. */
async function beginStop(client: Client, signal?: AbortSignal) {
  let result: ReturnType<Client['callTool']> | undefined;
  await new Promise<void>((resolve) => {
    result = client.callTool(stopping, { onprogress: () => resolve(), ...(signal && { signal }) });
  });
  return { result: result as ReturnType<Client['callTool']> };
}

test('an operation that takes longer than a query may is answered with its last state', async () => {
  const { client } = await start({ REQUEST_TIMEOUT_MS: '500' });
  const result = await client.callTool(stopping, { onprogress: () => {} });

  expect(result.isError).toBeUndefined();
  expect(answerOf(result)).toMatchObject({
    data: { stopApplicationInstance: { operation: { id: expect.any(String) } } },
    progress: { operation: { state: 'RUNNING' } },
  });
});

test('progress counts as an event stream, not as a request, and ends when the client leaves', async () => {
  const { client, layer } = await start();
  const leaving = new AbortController();
  const { result } = await beginStop(client, leaving.signal);
  const of = async (name: string) => (await layer.metrics()).of(name);

  await expect.poll(() => of('tributary_event_streams')).toBe(1);
  expect(await of('tributary_requests_in_flight')).toBe(0);
  leaving.abort();
  await expect(result).rejects.toThrow();
  await expect.poll(() => of('tributary_event_streams')).toBe(0);
});

test('a caller with too many event streams gets the handle without progress', async () => {
  const { client, stop } = await start({ MAX_SOCKETS_PER_CALLER: '1' });
  const { result: first } = await beginStop(client);
  const second = await client.callTool(
    { ...stopping, arguments: { ...stopping.arguments, applicationInstanceName: 'fragile' } },
    { onprogress: () => {} },
  );

  expect(answerOf(second)).toMatchObject({
    data: { stopApplicationInstance: { operation: { id: expect.any(String) } } },
  });
  expect(answerOf(second)).not.toHaveProperty('progress');
  await stop();
  expect(answerOf(await first)).toHaveProperty('progress');
});

test('a server that stops answers the tools whose progress it reports', async () => {
  const { client, stop } = await start();
  const { result } = await beginStop(client);
  await stop();

  expect(answerOf(await result)).toMatchObject({ progress: { operation: { state: 'RUNNING' } } });
});
