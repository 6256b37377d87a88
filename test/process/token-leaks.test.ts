import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { createClient as createStreamClient } from 'graphql-sse';
import { createClient } from 'graphql-ws';
import { test as base, expect } from 'vitest';
import { WebSocket } from 'ws';
import { sandboxCompanyId } from '../../sandbox/seed.ts';
import { freePort } from '../support/free-port.ts';
import { createLeaks } from '../support/leaks.ts';
import { actionInput, place, progress, stop } from '../support/operations.ts';
import { startTributary } from '../support/process.ts';
import { hasRedis, startTestRedis } from '../support/redis.ts';
import { startTestSandbox } from '../support/sandbox.ts';

const test = hasRedis ? base : base.skip;
const clientSecret = 'sandbox-secret';
const operationSecret = `secret-${randomUUID()}`;

const page =
  '{ company { customers(first: 2) { nodes { id displayName } pageInfo { endCursor } } salesOrders(first: 2) { nodes { id } } } }';
const create =
  'mutation ($id: UUID) { createCustomer(input: { id: $id, displayName: "Canary" }) { customer { id etag } userErrors { code message } } }';
const watched = 'subscription { recordChanged(types: [CUSTOMER]) { id change } }';

test('no token and no secret is in what a whole process logs, answers or keeps in Redis', async () => {
  const [business, management] = [`canary-${randomUUID()}`, `canary-${randomUUID()}`];
  const leaks = createLeaks();
  for (const secret of [business, management, clientSecret, operationSecret]) leaks.keep(secret);
  const [redis, sandbox, port] = await Promise.all([startTestRedis(), startTestSandbox(), freePort()]);
  let heard = '';
  const monitor = connect(Number(new URL(redis.url).port), '127.0.0.1').on('data', (bytes) => {
    heard += bytes.toString('latin1');
  });
  monitor.write('MONITOR\r\n');
  const running = startTributary(['serve'], {
    PORT: String(port),
    BUSINESS_URL: sandbox.url,
    BUSINESS_COMPANY_ID: sandboxCompanyId,
    MANAGEMENT_URL: sandbox.url,
    MANAGEMENT_TOKEN_HEADER: 'x-management-token',
    OPERATION_SECRETS: operationSecret,
    OPERATION_POLL_MS: '200',
    REDIS_URL: redis.url,
    LOG_LEVEL: 'debug',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    BUSINESS_TOKEN_URL: `${sandbox.url}/common/oauth2/token`,
    BUSINESS_CLIENT_ID: 'tributary',
    BUSINESS_CLIENT_SECRET: clientSecret,
    BUSINESS_SCOPE: 'https://upstream.example/.default',
  });
  await running.printed(/graphql[,"]/);
  const url = `http://127.0.0.1:${port}/graphql`;
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${business}`,
    'x-management-token': `Bearer ${management}`,
  };
  const ask = async (query: string, variables: object = {}, more: object = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ query, variables }),
    });
    const text = await response.text();
    leaks.look('an answer', `${text} ${JSON.stringify([...response.headers])}`);
    return JSON.parse(text);
  };
  const fault = (body: object) => sandbox.send('POST', '/sandbox/faults', body);

  const { data } = await ask(page, {}, { 'tributary-explain': '1' });
  expect(data.company.customers.nodes).toHaveLength(2);
  const socket = createClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: {
      authorization: headers.authorization,
      managementAuthorization: `Bearer ${management}`,
    },
  });
  const stream = createStreamClient({ url: `${url}/stream`, headers, retryAttempts: 0 });
  const changes = [socket, stream].map((client) => client.iterate({ query: watched }));
  const first = Promise.all(changes.map((each) => each.next()));

  const { data: stopped } = await ask(stop, {
    input: actionInput({ ...place, applicationInstanceName: 'app01' }),
  });
  const { id } = stopped.stopApplicationInstance.operation;
  for await (const event of socket.iterate({ query: progress, variables: { id } }))
    leaks.look('an event', JSON.stringify(event));
  // Made again until it is told: nobody says when the upstream has begun to tell of changes.
  let told = false;
  first.finally(() => {
    told = true;
  });
  while (!told) {
    await ask(create);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  leaks.look('a change', JSON.stringify(await first));

  await fault({
    path: 'customers',
    status: 500,
    body: { error: { code: business, message: `of ${business}` } },
    times: 2,
  });
  expect((await ask(page)).errors).toHaveLength(1);
  await ask('{ company { customers(first: "2") { nodes { id } } } }');
  await ask(`{ operation(id: "${business}") { status } }`);

  await Promise.all(changes.map((each) => each.return?.(undefined)));
  await socket.dispose();
  stream.dispose();
  const { stdout, stderr } = await running.stop();
  const address =
    (await sandbox.calls()).findLast(({ path }) => path.includes('operationStatuses'))?.path ?? '';
  await Promise.all([sandbox.stop(), redis.kill()]);
  monitor.destroy();

  for (const [where, text] of Object.entries({ stdout, stderr, id, redis: heard })) leaks.look(where, text);
  expect(stdout).toContain('"level":');
  expect(heard).toMatch(/"publish"/i);
  // The address of the status of an operation is as good as a token.
  expect(address).toContain('operationStatuses');
  expect(heard).not.toContain(address);
  leaks.check();
});
