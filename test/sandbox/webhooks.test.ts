import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, companyPart, useSandbox } from './caller.ts';
import { subscribe as subscribeAt, subscriptions, useReceiver } from './webhook-receiver.ts';

const day = 24 * 3_600_000;
const webhooks = { delayMs: 60_000, retryPausesMs: [20, 40] };
const sandbox = useSandbox({ webhooks });
const dynamics = useSandbox({ dialect: 'dynamics', webhooks });
const receiver = useReceiver();

const at = (id: string) => `${subscriptions}('${id}')`;
const customers = `${company}/customers`;
const steer = (body: unknown) => sandbox.post('/sandbox/webhooks', body);
const shown = async (): Promise<Json> => (await sandbox.get('/sandbox/webhooks')).body;
const subscribe = (set?: string, rest?: Json, token?: string) =>
  subscribeAt(sandbox, receiver.url, set, rest, token);
const make = async (rest = {}) => (await subscribe('customers', rest)).body;
const listed = async () => (await sandbox.list(subscriptions)).map(({ subscriptionId }) => subscriptionId);
const create = async (displayName: string) => (await sandbox.post(customers, { displayName })).body;
const change = (id: string, body: unknown) => sandbox.patch(`${customers}(${id})`, '*', body);
const resourceOf = (id: string) => `${customers.slice(1)}(${id})`;

/** What is told when everything that waits is told now. */
async function told(count: number): Promise<Json[]> {
  await steer({ deliver: 'now' });
  return (await receiver.told(count)).map(({ value }) => value);
}
const types = async () => (await told(1))[0].map(({ changeType }: Json) => changeType);

describe('subscriptions', () => {
  test('A.webhook.1 A new one is 201 with all its fields, valid for three days, after one handshake', async () => {
    const before = Date.now();
    const { status, headers, body } = await subscribeAt(sandbox, `${receiver.url}?a=1`, 'customers', {
      clientState: 'secret',
    });
    const [{ method, text, path }, ...others] = receiver.handshakes as [Json];

    expect([status, headers.get('location')]).toEqual([201, `${sandbox.url}${at(body.subscriptionId)}`]);
    expect(body).toMatchObject({
      '@odata.context': `${sandbox.url}/api/v2.0/$metadata#subscriptions/$entity`,
      subscriptionId: expect.stringMatching(/^[0-9a-f]{32}$/),
      notificationUrl: `${receiver.url}?a=1`,
      resource: customers,
      clientState: 'secret',
    });
    expect(Math.abs(Date.parse(body.expirationDateTime) - before - 3 * day)).toBeLessThan(5_000);
    expect([method, text, others]).toEqual(['POST', '', []]);
    expect(path).toMatch(/^\/hook\?a=1&validationToken=[\w-]{20,}$/);
  });

  test.each<[string, (token: string) => Json]>([
    ['the token with another status', (body) => ({ status: 202, body })],
    ['a redirection', () => ({ status: 302, headers: { location: '/elsewhere' } })],
    ['nothing in time', () => ({ status: undefined })],
  ])(
    'A.webhook.3 Where a receiver responds %s it is 400, and no subscription is created',
    async (_what, answer) => {
      await steer({ timeoutMs: 100 });
      receiver.onHandshake(answer);
      const reply = await subscribe();

      expect([reply.status, reply.body.error.message]).toEqual([
        400,
        expect.stringContaining('validationToken'),
      ]);
      expect(await listed()).toEqual([]);
      expect((await subscribeAt(sandbox, 'http://127.0.0.1:1/hook')).status).toBe(400);
    },
  );

  test.each<[string, Json]>([
    ['resource', `${company}/salesOrderLines`],
    ['resource', `${company}/customers?$filter=city eq 'Oslo'`],
    ['resource', '/api/v2.0/companies(11111111-1111-4111-8111-111111111111)/customers'],
    ['notificationUrl', 'ftp://receiver.example/'],
    ['expirationDateTime', '2030-01-01T00:00:00Z'],
  ])('A.webhook.5 A subscription whose %s is %j is 400, and there is no handshake', async (name, value) => {
    expect((await subscribe('customers', { [name]: value })).status).toBe(400);
    expect(receiver.handshakes).toEqual([]);
  });

  test('A.webhook.8 A renewal needs the current entity tag, the same resource and a successful handshake', async () => {
    for (const [one, missing, stale] of [
      [sandbox, 428, 412],
      [dynamics, 400, 409],
    ] as const) {
      const made = (await subscribeAt(one, receiver.url)).body;
      const renew = async (etag: string | undefined, body = {}) =>
        (await one.patch(at(made.subscriptionId), etag, body)).status;
      expect([await renew(undefined), await renew('W/"x"')]).toEqual([missing, stale]);
      expect(await renew('*', { resource: `${company}/items` })).toBe(400);
      receiver.onHandshake(() => ({ status: 404 }));
      expect(await renew('*')).toBe(400);
      expect((await one.get(at(made.subscriptionId))).body).toEqual(made);
      receiver.onHandshake((body) => ({ body }));
    }
  });

  test('A.webhook.10 One belongs to the principal that created it, also with a renewed token; others do not see it', async () => {
    const { subscriptionId } = (await subscribe('items', {}, 'service~1')).body;
    const asked = async (method: string, token: string) =>
      (await sandbox.send(method, at(subscriptionId), { token })).status;

    expect([await asked('GET', 'clerk'), await asked('DELETE', 'clerk'), await listed()]).toEqual([
      404,
      404,
      [],
    ]);
    expect([await asked('GET', 'service~2'), await asked('DELETE', 'service')]).toEqual([200, 204]);
    expect(await asked('DELETE', 'service')).toBe(404);
    expect((await subscribe('items', {}, 'reader')).status).toBe(403);
    expect((await sandbox.send('PUT', subscriptions)).headers.get('allow')).toBe('GET, POST');
  });
});

describe('notifications', () => {
  test("A.webhook.14 One names the changed record, with the subscription's clientState and no signature", async () => {
    const made = await make({ clientState: 'secret' });
    const { body: changed } = await change((await sandbox.first('customers')).id, { city: 'Oslo' });

    expect(await told(1)).toEqual([
      [
        {
          subscriptionId: made.subscriptionId,
          clientState: 'secret',
          expirationDateTime: made.expirationDateTime,
          resource: resourceOf(changed.id),
          changeType: 'updated',
          lastModifiedDateTime: changed.lastModifiedDateTime,
        },
      ],
    ]);
    const [{ method, path, headers }] = receiver.notifications as [Json];
    expect([method, path, headers['content-type']]).toEqual([
      'POST',
      '/hook',
      'application/json; charset=utf-8',
    ]);
    expect(headers).not.toHaveProperty('authorization');
  });

  test('A.webhook.15 One has all changes since the first', async () => {
    await make();
    const { id } = await create('New');
    await change(id, { city: 'Oslo' });
    await sandbox.send('DELETE', `${customers}(${id})`);
    expect(await types()).toEqual(['created', 'deleted']);
  });

  test('A.webhook.17 Requests that change nothing, fail, are rolled back or concern another set or company cause none', async () => {
    const [, other] = await sandbox.list('/api/v2.0/companies');
    await make();
    const { id, city } = await sandbox.first('customers');
    const headers = { 'content-type': 'application/json', 'if-match': '*' };
    const requests = [
      { method: 'POST', url: `${companyPart}/customers`, headers, body: { displayName: 'Taken back' } },
      { method: 'PATCH', url: `${companyPart}/customers(${id})`, headers, body: { colour: 'red' } },
    ];
    await change(id, { city });
    await change(id, { colour: 'red' });
    await sandbox.batch(requests, { isolation: 'snapshot' });
    await sandbox.post(`/api/v2.0/companies(${other.id})/customers`, { displayName: 'Elsewhere' });
    await sandbox.patch(`${company}/items(${(await sandbox.first('items')).id})`, '*', { unitPrice: 7 });
    await sandbox.batch(requests.slice(0, 1));

    expect(await types()).toEqual(['created']);
  });

  test('A.webhook.19 Subscriptions with one URL share a request, others have their own; a line changes its order', async () => {
    const one = await make();
    const two = (await subscribe('salesOrders')).body;
    const three = (await subscribeAt(sandbox, `${receiver.url}/2`, 'salesOrders')).body;
    const order = await sandbox.first('salesOrders');
    await create('New');
    await sandbox.post(`${company}/salesOrderLines`, { documentId: order.id, lineType: 'Comment' });
    const values = await told(2);
    const ids = values.map((value) => value.map((item: Json) => item.subscriptionId));

    expect(ids.sort()).toEqual([[one.subscriptionId, two.subscriptionId], [three.subscriptionId]].sort());
    expect(values.flat().filter(({ resource }) => resource.includes(order.id))).toHaveLength(2);
  });

  test.each([503, undefined])(
    'A.webhook.23 A delivery answered %s is retried after growing pauses, and the subscription removed after the last',
    async (status) => {
      receiver.answerNext(...Array.from({ length: 3 }, () => ({ status }) as Json));
      await make();
      await create('New');
      await steer({ timeoutMs: status === undefined ? 100 : 10_000 });
      const [one, two, three] = await told(3);
      const [a = 0, b = 0, c = 0] = receiver.notifications.map((each) => each.at);

      expect([two, three]).toEqual([one, one]);
      expect([b - a >= 18, c - b >= 38]).toEqual([true, true]);
      await expect.poll(listed).toEqual([]);
      expect(receiver.notifications).toHaveLength(3);
    },
  );

  test.each([302, 410])(
    'A.webhook.25 A delivery answered %i removes every subscription of the request at once',
    async (status) => {
      receiver.answerNext({ status });
      await make();
      await make();
      const { body: other } = await subscribe('items');
      await create('New');
      await told(1);

      await expect.poll(listed).toEqual([other.subscriptionId]);
      expect(receiver.notifications).toHaveLength(1);
    },
  );

  test('A.webhook.26 Expired and deleted subscriptions get no further notifications', async () => {
    await steer({ lifetimeMs: 20 });
    const expired = await make();
    await steer({ lifetimeMs: 60_000 });
    const [left, kept] = [await make(), await make()];
    await create('New');
    await sandbox.send('DELETE', at(left.subscriptionId));
    await expect.poll(async () => (await sandbox.get(at(expired.subscriptionId))).status).toBe(404);

    expect(await told(1)).toMatchObject([[{ subscriptionId: kept.subscriptionId }]]);
  });
});

describe('control of webhooks', () => {
  /** Creates a customer, whose creation is told at once, and returns the item's resource. */
  async function createTold(displayName: string): Promise<string> {
    const { id } = await create(displayName);
    await steer({ deliver: 'now' });
    return resourceOf(id);
  }
  const resources = async (count: number) =>
    (await receiver.told(count)).map(({ value }) => value.map(({ resource }: Json) => resource).join());

  test('S.webhook.6 The next notification can be sent twice, after the one that follows it, or never', async () => {
    await make();
    await steer({ fault: 'twice' });
    const one = await createTold('One');
    expect(await resources(2)).toEqual([one, one]);
    await steer({ fault: 'afterNext', times: 1 });
    const [two, three] = [await createTold('Two'), await createTold('Three')];
    expect(await resources(4)).toEqual([one, one, three, two]);
    await steer({ fault: 'afterNext', times: 1 });
    const four = await createTold('Four');
    expect((await shown()).deliveries.at(-1).state).toBe('held');
    await steer({ deliver: 'now' });
    expect((await resources(5))[4]).toBe(four);

    await steer({ fault: 'never', times: 1 });
    await createTold('Lost');
    await steer({ deliver: 'now' });
    expect((await shown()).deliveries.at(-1)).toMatchObject({ fault: 'never', state: 'lost', attempts: [] });
  });
});
