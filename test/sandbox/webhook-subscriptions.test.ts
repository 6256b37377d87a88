import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed/seed.ts';
import { company, useSandbox } from './caller.ts';
import { subscribe, subscriptions, useReceiver } from './webhook-receiver.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const day = 24 * 3_600_000;
const at = (id: string) => `${subscriptions}('${id}')`;

describe.each(['document', 'dynamics'] as const)('webhook subscriptions in the dialect %s', (dialect) => {
  const sandbox = useSandbox({ dialect });
  const receiver = useReceiver();
  const make = async (rest = {}) => (await subscribe(sandbox, receiver.url, 'customers', rest)).body;
  const tell = async (body: unknown) => (await sandbox.post('/sandbox/webhooks', body)).status;

  test('A.webhook.1 A new subscription is 201 with all its fields, and valid for three days', async () => {
    const before = Date.now();
    const { status, headers, body } = await subscribe(sandbox, receiver.url, 'customers', {
      clientState: 'secret',
    });

    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${sandbox.url}${at(body.subscriptionId)}`);
    expect(body).toMatchObject({
      '@odata.context': `${sandbox.url}/api/v2.0/$metadata#subscriptions/$entity`,
      '@odata.etag': expect.stringMatching(/^W\/".+"$/),
      subscriptionId: expect.stringMatching(/^[0-9a-f]{32}$/),
      notificationUrl: receiver.url,
      resource: `${company}/customers`,
      clientState: 'secret',
    });
    expect(Object.keys(body)).toEqual(
      expect.arrayContaining(['timestamp', 'userId', 'lastModifiedDateTime', 'systemCreatedAt']),
    );
    expect(Date.parse(body.expirationDateTime) - before - 3 * day).toBeLessThan(5_000);
    expect(Date.parse(body.expirationDateTime)).toBeGreaterThanOrEqual(before + 3 * day - 1);
  });

  test('A.webhook.2 The receiver gets one handshake, by POST without a body, and keeps its own query', async () => {
    await subscribe(sandbox, `${receiver.url}?a=1`);
    const [handshake, ...others] = receiver.handshakes;

    expect(others).toEqual([]);
    expect(handshake).toMatchObject({ method: 'POST', text: '' });
    expect(handshake?.path).toMatch(/^\/hook\?a=1&validationToken=[\w-]{20,}$/);
  });

  test.each([
    ['another body', () => ({ body: 'something else' })],
    ['the token with another status', (body: string) => ({ status: 202, body })],
    ['an error', (body: string) => ({ status: 500, body })],
    ['a redirection', () => ({ status: 302, headers: { location: '/elsewhere' } })],
    [
      'nothing in time, and garbage is collected meanwhile,',
      () => {
        collectGarbage();
        return { status: undefined as never };
      },
    ],
  ])(
    'A.webhook.3 With a receiver that responds %s it is 400, and no subscription is created',
    async (_what, answer) => {
      await tell({ timeoutMs: 100 });
      receiver.onHandshake(answer);
      const reply = await subscribe(sandbox, receiver.url);

      expect(reply.status).toBe(400);
      expect(reply.body.error.message).toContain('validationToken');
      expect(await sandbox.list(subscriptions)).toEqual([]);
    },
  );

  test('A.webhook.3 A receiver that does not respond is 400', async () => {
    expect((await subscribe(sandbox, 'http://127.0.0.1:1/hook')).status).toBe(400);
  });

  test.each([
    `companies(${sandboxCompanyId})/items`,
    `/companies(${sandboxCompanyId})/salesOrders`,
    `api/v2.0/companies(${sandboxCompanyId.toUpperCase()})/employees`,
    `https://api.example/api/v2.0/companies(${sandboxCompanyId})/accounts`,
  ])('A.webhook.4 The resource can be %s', async (resource) => {
    expect((await make({ resource })).resource).toBe(resource);
  });

  test.each([
    ['resource', `${company}/salesOrderLines`],
    ['resource', `${company}/taxAreas`],
    ['resource', `${company}/customers(${sandboxCompanyId})`],
    ['resource', `${company}/customers?$filter=city eq 'Oslo'`],
    ['resource', '/api/v2.0/companies(11111111-1111-4111-8111-111111111111)/customers'],
    ['resource', undefined],
    ['resource', 5],
    ['notificationUrl', 'ftp://receiver.example/'],
    ['notificationUrl', 'hook'],
    ['notificationUrl', undefined],
    ['clientState', 'x'.repeat(2_049)],
    ['clientState', 1],
    ['expirationDateTime', '2030-01-01T00:00:00Z'],
    ['colour', 'red'],
  ])('A.webhook.5 A subscription whose %s is %j is 400, and there is no handshake', async (name, value) => {
    expect((await subscribe(sandbox, receiver.url, 'customers', { [name]: value })).status).toBe(400);
    expect(receiver.handshakes).toEqual([]);
  });

  test('A.webhook.6 Subscriptions can be listed and read', async () => {
    const first = await make();
    const { body: second } = await subscribe(sandbox, receiver.url, 'items');
    const { '@odata.context': _context, ...shown } = second;

    expect((await sandbox.list(subscriptions)).map((one) => one.subscriptionId).sort()).toEqual(
      [first.subscriptionId, second.subscriptionId].sort(),
    );
    expect((await sandbox.get(at(second.subscriptionId))).body).toMatchObject(shown);
    expect((await sandbox.get(at('none'))).status).toBe(404);
  });

  test('A.webhook.7 A renewal repeats the handshake, accepts new values and lasts as long as a new subscription', async () => {
    const made = await make({ clientState: 'one' });
    await tell({ lifetimeMs: 7 * day });
    const { status, body } = await sandbox.patch(at(made.subscriptionId), made['@odata.etag'], {
      clientState: 'two',
    });

    expect(status).toBe(200);
    expect(receiver.handshakes).toHaveLength(2);
    expect(body).toMatchObject({
      subscriptionId: made.subscriptionId,
      clientState: 'two',
      resource: made.resource,
      systemCreatedAt: made.systemCreatedAt,
    });
    expect(body['@odata.etag']).not.toBe(made['@odata.etag']);
    expect(Date.parse(body.expirationDateTime)).toBeGreaterThan(
      Date.parse(made.expirationDateTime) + 3 * day,
    );
    expect((await sandbox.get(at(made.subscriptionId))).body).toMatchObject({ clientState: 'two' });
  });

  test('A.webhook.8 A renewal needs the current entity tag, the same resource and a successful handshake', async () => {
    const made = await make();
    const renew = async (etag: string | undefined, body = {}) =>
      (await sandbox.patch(at(made.subscriptionId), etag, body)).status;
    const [missing, stale] = dialect === 'document' ? [428, 412] : [400, 409];

    expect(await renew(undefined)).toBe(missing);
    expect(await renew('W/"x"')).toBe(stale);
    expect(await renew('*', { resource: `${company}/items` })).toBe(400);
    expect(receiver.handshakes).toHaveLength(1);
    receiver.onHandshake(() => ({ status: 404 }));
    expect(await renew('*')).toBe(400);
    expect((await sandbox.get(at(made.subscriptionId))).body).toEqual(made);
  });

  test('A.webhook.9 A deleted subscription no longer exists', async () => {
    const { subscriptionId } = await make();

    expect((await sandbox.send('DELETE', at(subscriptionId))).status).toBe(204);
    expect((await sandbox.send('DELETE', at(subscriptionId))).status).toBe(404);
    expect(await sandbox.list(subscriptions)).toEqual([]);
  });

  test('A.webhook.10 A subscription belongs to the principal that created it, also with a renewed token; others do not see it', async () => {
    const { subscriptionId } = (await subscribe(sandbox, receiver.url, 'items', {}, 'service~1')).body;
    const asked = async (method: string, token: string) =>
      (await sandbox.send(method, at(subscriptionId), { token })).status;

    expect(await asked('GET', 'clerk')).toBe(404);
    expect(await asked('DELETE', 'clerk')).toBe(404);
    expect(await sandbox.list(subscriptions)).toEqual([]);
    expect(await asked('GET', 'service~2')).toBe(200);
    expect(await asked('DELETE', 'service')).toBe(204);
  });

  test('A.webhook.11 Read-only callers cannot subscribe, and an expired or missing token is 401', async () => {
    const status = async (token: string) =>
      (await subscribe(sandbox, receiver.url, 'items', {}, token)).status;

    expect(await status('reader')).toBe(403);
    expect(await status('expired')).toBe(401);
    expect((await sandbox.send('PUT', subscriptions)).headers.get('allow')).toBe('GET, POST');
    expect((await sandbox.send('POST', subscriptions, { body: '{}' })).status).toBe(415);
  });

  test('A.webhook.12 There are at most 200, of all principals together', async () => {
    for (let n = 0; n < 200; n += 1) {
      expect((await subscribe(sandbox, receiver.url, 'items', {}, `owner-${n}`)).status).toBe(201);
    }
    const reply = await subscribe(sandbox, receiver.url);

    expect(reply).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('200') } },
    });
  });

  test('A.webhook.13 An expired subscription no longer exists', async () => {
    await tell({ lifetimeMs: 200 });
    const { subscriptionId } = await make();
    expect((await sandbox.get(at(subscriptionId))).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 220));

    expect((await sandbox.get(at(subscriptionId))).status).toBe(404);
  });
});
