import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { type Event, startLayerForTest, startTestLayer } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';
import {
  change,
  changed,
  pathOf,
  startWatching,
  steer,
  subscribed,
  webhookSettings,
  webhookTest,
} from '../../support/webhooks.ts';

const test = webhookTest({ webhooks: { delayMs: 60_000 } }, { POLL_RECORDS_MS: '60000' });
const { customerId } = sandboxExamples;
const path = '/webhooks/records';
const stranger = '99999999-9999-4999-8999-999999999999';

const item = (changes: object = {}) => ({
  subscriptionId: 'any',
  clientState: 'none',
  expirationDateTime: '2030-01-01T00:00:00Z',
  resource: pathOf('customers', customerId),
  changeType: 'updated',
  lastModifiedDateTime: new Date().toISOString(),
  ...changes,
});

test('a handshake is answered with exactly its token, as plain text, for GET and POST', async ({ layer }) => {
  for (const [method, token] of [
    ['GET', 'Validation: <b>1</b> %~"'],
    ['POST', 'x'.repeat(1_024)],
  ] as const) {
    const address = `${layer.url}${path}?validationToken=${encodeURIComponent(token)}`;
    const response = await fetch(address, { method });

    expect([response.status, await response.text()]).toEqual([200, token]);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  }
  for (const query of ['', 'x'.repeat(1_025), 'a%0d%0ab', '%C3%A5', 'a&validationToken=b']) {
    const response = await fetch(`${layer.url}${path}?validationToken=${query}`, { method: 'POST' });

    expect([response.status, await response.text()], query).toEqual([400, '']);
  }
});

test('a body that is no notification is 400, other paths are 404, other methods 405', async ({ layer }) => {
  const statusOf = async (method: string, at: string, body?: string) =>
    (await fetch(layer.url + at, { method, ...(body === undefined ? {} : { body }) })).status;

  for (const body of ['', '{not JSON', '{"value":{}}', 'null'])
    expect(await statusOf('POST', path, body), body).toBe(400);
  expect(await statusOf('GET', path)).toBe(404);
  expect(await statusOf('PUT', path, '{"value":[]}')).toBe(405);
  expect(await statusOf('POST', `${path}/more`, '{"value":[]}')).toBe(404);
  expect(await statusOf('POST', path, '{"value":[]}')).toBe(202);
});

test('a forged clientState is 202, and causes no upstream call', async ({ layer, sandbox }) => {
  const watcher = await startWatching(layer, sandbox);
  const [{ clientState }] = await subscribed(sandbox);
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });
  await sandbox.forgetCalls();
  const send = async (value: readonly unknown[]) => {
    const body = JSON.stringify({ value });
    const response = await fetch(layer.url + path, { method: 'POST', body });
    return response.status;
  };
  // The word of one kind is none of another.
  const forged = [item({ clientState, resource: pathOf('items', customerId) }), item({ clientState })];

  expect(await send(forged)).toBe(202);
  expect(await watcher.during(300)).toEqual([]);
  expect(await sandbox.calls()).toEqual([]);

  // Nothing behind the first forged item is read; what stands before it has proven itself.
  expect(await send([null, item({ clientState }), ...forged])).toBe(202);
  expect(await watcher.during(300, 1)).toEqual([`UPDATED ${customerId}`]);
  await watcher.leave();
});

test('a resource is read below the configured base URL, whatever host it names, and reported where it has changed', async ({
  layer,
  sandbox,
}) => {
  const watcher = await startWatching(layer, sandbox);
  const [{ clientState }] = await subscribed(sandbox);
  const resource = `https://evil.example/api/v2.0/companies(${sandboxCompanyId.toUpperCase()})/customers(${customerId.toUpperCase()})`;
  const send = (value: readonly object[]) =>
    steer(sandbox, { send: { notificationUrl: layer.url + path, body: { value } } });
  const unchanged = ['created', 'updated', 'deleted'].map((changeType) =>
    item({ clientState, changeType, resource }),
  );
  await send([...unchanged, item({ clientState, resource: pathOf('customers', stranger) })]);

  expect(await watcher.during(300)).toEqual([]);
  await change(sandbox, 'customers', customerId, { city: 'Oslo' });
  await send([item({ clientState, resource })]);
  expect(await watcher.during(300, 1)).toEqual([`UPDATED ${customerId}`]);
  await watcher.leave();
});

const query = '{ companies { totalCount } }';

test('a notification takes a slot: without a free one it is 503 OVERLOADED, to be retried', async ({
  sandbox,
}) => {
  const layer = await startLayerForTest(sandbox.url, {
    ...(await webhookSettings(sandbox)),
    MAX_REQUESTS: '1',
  });
  await sandbox.fault({ path: '/companies', delayMs: 300 });
  const answer = layer.query(query);
  await expect.poll(async () => (await sandbox.calls()).length, { interval: 10 }).toBe(1);
  const send = (at: string) => fetch(layer.url + at, { method: 'POST', body: '{"value":[]}' });

  for (const at of [path, `${path}?validationToken=a`, '/webhooks/%72ecords']) {
    const refused = await send(at);
    expect(refused.status, at).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'OVERLOADED' } }] });
  }
  expect((await answer).status).toBe(200);
  expect((await send(path)).status).toBe(202);
});

test('the log reports forged notifications, without their contents', async ({ layer }) => {
  const value = [1, 2, 3].map((number) => item({ clientState: `forged-word-${number}` }));
  const body = JSON.stringify({ value: ['unreadable-text', ...value] });
  await fetch(layer.url + path, { method: 'POST', body });
  await fetch(layer.url + path, { method: 'POST', body: '{"forged-body"' });

  const text = JSON.stringify(layer.lines());
  expect(text).toContain('"isForged":true,"unreadable":1');
  expect(text).not.toMatch(/forged-|unreadable-text/);
  expect(text).not.toContain(customerId);
});

test('the body of an error response from an upstream or a token endpoint reaches no log and no subscriber', async ({
  sandbox,
}) => {
  const stub = await startStub(({ target, body, headers }) => ({
    status: 400,
    body: { error: { code: 'No', message: `${body} ${headers.authorization}` }, echo: target },
  }));
  for (const token of [`${stub.url}/token`, `${sandbox.url}/common/oauth2/token`]) {
    const settings = { ...(await webhookSettings(sandbox)), BUSINESS_TOKEN_URL: token };
    const layer = await startTestLayer(stub.url, settings);
    const told: Event[] = [];
    for await (const event of layer.watchEvents(changed, { types: ['ITEM'] }, 'a-watcher')) told.push(event);
    await expect.poll(() => JSON.stringify(layer.lines())).toContain('Subscribing to changes');
    await layer.stop();

    expect(told).toMatchObject([{ errors: [{ extensions: { upstream: 'business' } }] }]);
    const text = JSON.stringify([told, layer.lines()]);
    expect(text).not.toMatch(/sandbox-secret|tributary~|eyJhbGci|clientState|a-watcher/);
  }
  stub.stop();

  expect(stub.requests.some(({ body }) => body.includes('sandbox-secret'))).toBe(true);
  expect(stub.requests.some(({ body }) => body.includes('clientState'))).toBe(false);
});
