import { fastify } from 'fastify';
import { createClient as createEventClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { ConfigError, createTributary, type Tributary } from '../../../src/index.ts';
import { testWithSandbox } from '../../support/sandbox.ts';

const settingsOf = (url: string) => ({
  BUSINESS_URL: url,
  MANAGEMENT_URL: url,
  BUSINESS_COMPANY_ID: sandboxCompanyId,
  OPERATION_SECRETS: 'a secret of the tests',
  LOG_LEVEL: 'silent',
  MAX_LOOP_DELAY_MS: 60_000,
});

const test = testWithSandbox({}).extend('tributary', async ({ sandbox }, { onCleanup }) => {
  const tributary = await createTributary(settingsOf(sandbox.url));
  onCleanup(() => tributary.close());
  return tributary;
});

const orders =
  '{ company { salesOrders(first: 1) { nodes { number customer { displayName } documentLines { quantity } } } } }';
const watching = 'subscription { healthEventChanged(trackingId: "SA_5-XYZ") { trackingId } }';
const headers = { Authorization: 'Bearer sandbox' };

/** A host with a route, a JSON parser and request ids of its own. */
async function startHost(plugin: Tributary['plugin']) {
  const app = fastify({ genReqId: () => 'of-the-host' });
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async () => 'parsed by the host');
  app.post('/own', async ({ body, id }) => ({ body, id }));
  app.register(plugin);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  return { app, url };
}

const post = (url: string, body: unknown, more: Readonly<Record<string, string>> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  });

test('settings that `serve` refuses are a ConfigError', async () => {
  const refused = createTributary({ BUSINESS_URL: 'no url', PORT: 'x' });

  await expect(refused).rejects.toThrow(ConfigError);
  await expect(refused).rejects.toThrow(/BUSINESS_URL.*\n.*PORT|PORT.*\n.*BUSINESS_URL/);
  await expect(createTributary({})).rejects.toThrow('BUSINESS_URL or MANAGEMENT_URL is required');
});

test('a query runs in the process as one call upstream, with the checks of one over HTTP', async ({
  tributary,
  sandbox,
}) => {
  await sandbox.forgetCalls();
  const answer = await tributary.execute({ query: orders, headers });
  const calls = await sandbox.calls();
  const withoutToken = await tributary.execute({ query: orders });
  const invalid = await tributary.execute({ query: '{ nothing }', headers });
  const subscription = await tributary.execute({ query: watching, headers });
  const explained = await tributary.execute({
    query: 'query One($n: Int) { company { items(first: $n) { nodes { number } } } }',
    variables: { n: 1 },
    operationName: 'One',
    headers: { ...headers, 'Tributary-Explain': '1' },
  });

  expect(answer.errors).toBeUndefined();
  expect(answer.data).toMatchObject({
    company: { salesOrders: { nodes: [{ number: expect.any(String) }] } },
  });
  expect(calls).toHaveLength(1);
  expect(withoutToken.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  expect(invalid.errors?.[0]?.message).toContain('nothing');
  expect(subscription.errors?.[0]?.message).toContain('A subscription cannot be answered');
  expect(explained.extensions?.upstream).toHaveLength(1);
});

test('a Fastify server serves the graph beside routes of its own', async ({ tributary }) => {
  const { app, url } = await startHost(tributary.plugin);
  const own = await post(`${url}/own`, {});
  const answer = await post(`${url}/graphql`, { query: orders });
  const injected = await app.inject({ method: 'POST', url: '/graphql', headers, payload: { query: orders } });
  const tooLong = await post(`${url}/graphql`, { query: `{ a }${' '.repeat(300 * 1024)}` });
  const foreign = await post(`${url}/graphql`, { query: orders }, { 'sec-fetch-site': 'cross-site' });
  const missing = await fetch(`${url}/missing`);

  expect(await own.json()).toEqual({ body: 'parsed by the host', id: 'of-the-host' });
  expect(own.headers.get('x-request-id')).toBeNull();
  expect(await answer.json()).toMatchObject({ data: { company: { salesOrders: { nodes: [{}] } } } });
  expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  expect(injected.json()).toMatchObject({ data: { company: {} } });
  expect(tooLong.status).toBe(413);
  expect(await tooLong.text()).toContain('The request body has more than');
  expect(foreign.status).toBe(403);
  expect(await missing.json()).toMatchObject({ message: 'Route GET:/missing not found' });
});

test('event streams and WebSockets of a host tell events, and end when the host closes', async ({
  tributary,
}) => {
  const { app, url } = await startHost(tributary.plugin);
  const socket = createSocketClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: headers,
    retryAttempts: 0,
  }).iterate({ query: watching });
  const stream = createEventClient({ url: `${url}/graphql/stream`, headers, retryAttempts: 0 }).iterate({
    query: watching,
  });
  const told = { value: { data: { healthEventChanged: { trackingId: 'SA_5-XYZ' } } } };

  expect(await socket.next()).toMatchObject(told);
  expect(await stream.next()).toMatchObject(told);
  const ends = Promise.allSettled([socket.next(), stream.next()]);
  await app.close();
  expect(await ends).toMatchObject([{ status: 'rejected', reason: { code: 1001 } }, { status: 'rejected' }]);
});

test('an upgrade of another path is left to the host, and a prefix is refused', async ({ tributary }) => {
  const { app, url } = await startHost(tributary.plugin);
  app.server.on('upgrade', (request, socket) => {
    if (request.url === '/own') socket.end('HTTP/1.1 418 Of The Host\r\n\r\n');
  });
  const refused = await new Promise<Error>((resolve) => {
    new WebSocket(`${url.replace('http', 'ws')}/own`).once('error', resolve);
  });
  const prefixed = fastify().register(tributary.plugin, { prefix: '/api' });

  expect(refused.message).toContain('418');
  await expect(prefixed.ready()).rejects.toThrow('without a prefix');
});
