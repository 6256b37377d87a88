import { describe, expect, test } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed/seed.ts';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';
import { subscribe, subscriptions, useReceiver } from './webhook-receiver.ts';

const customers = `${company}/customers`;
const customer = `api/v2.0/companies(${sandboxCompanyId})/customers`;
const types = (items: Json[]) => items.map((item) => item.changeType);

describe.each(['document', 'dynamics'] as const)('notifications in the dialect %s', (dialect) => {
  const webhooks = { delayMs: 60_000, retryPausesMs: [20, 40] };
  const sandbox = useSandbox({ dialect, webhooks });
  const receiver = useReceiver();
  const tell = (body: unknown) => sandbox.post('/sandbox/webhooks', body);
  /** What is told when everything that waits is told now. */
  async function told(count: number): Promise<Json[]> {
    await tell({ deliver: 'now' });
    return receiver.told(count);
  }
  const items = async (): Promise<Json[]> => (await told(1))[0].value;
  const create = async (displayName: string) => (await sandbox.post(customers, { displayName })).body;
  const change = (id: string, body: unknown) => sandbox.patch(`${customers}(${id})`, '*', body);
  const first = async (set: string): Promise<Json> =>
    (await sandbox.list(`${company}/${set}?$top=1`))[0] as Json;

  test("A.webhook.14 A notification names the changed record, with the subscription's clientState and no signature", async () => {
    const { body: made } = await subscribe(sandbox, receiver.url, 'customers', { clientState: 'secret' });
    const { id } = await first('customers');
    const { body: changed } = await change(id, { city: 'Oslo' });

    expect(await told(1)).toEqual([
      {
        value: [
          {
            subscriptionId: made.subscriptionId,
            clientState: 'secret',
            expirationDateTime: made.expirationDateTime,
            resource: `${customer}(${id})`,
            changeType: 'updated',
            lastModifiedDateTime: changed.lastModifiedDateTime,
          },
        ],
      },
    ]);
    const [{ method, path, headers }] = receiver.notifications as [Json];
    expect(`${method} ${path}`).toBe('POST /hook');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    for (const name of ['clientrequestid', 'x-ms-correlation-id'])
      expect(headers[name]).toMatch(/^[\da-f-]{36}$/);
    expect(headers).not.toHaveProperty('authorization');
  });

  test('A.webhook.15 It is sent a delay after the first change, with all changes in the meantime', async () => {
    await subscribe(sandbox, receiver.url);
    await tell({ delayMs: 400 });
    const before = performance.now();
    const made = await create('New');
    await change(made.id, { city: 'Oslo' });
    const { id } = await first('customers');
    await change(id, { city: 'Oslo' });
    await change(id, { city: 'Bergen' });

    expect((await receiver.items()).map((item) => [item.changeType, item.resource])).toEqual([
      ['created', `${customer}(${made.id})`],
      ['updated', `${customer}(${id})`],
    ]);
    expect((receiver.notifications[0]?.at ?? 0) - before).toBeGreaterThanOrEqual(395);
    await change(id, { city: 'Turku' });
    expect(types((await receiver.told(2))[1].value)).toEqual(['updated']);
  });

  test('A.webhook.16 A deletion is sent separately, after the earlier changes', async () => {
    await subscribe(sandbox, receiver.url);
    const { id } = await create('Short-lived');
    await sandbox.send('DELETE', `${customers}(${id})`);

    expect(types(await items())).toEqual(['created', 'deleted']);
  });

  test('A.webhook.17 Requests that change nothing, fail, are rolled back or concern another set or company cause no notification', async () => {
    const [, other] = await sandbox.list('/api/v2.0/companies');
    await subscribe(sandbox, receiver.url);
    const { id, city } = await first('customers');
    const elsewhere = `/api/v2.0/companies(${other.id})/customers`;
    const part = (url: string, method: string, body: Json, headers = {}) => ({
      url: `companies(${sandboxCompanyId})/${url}`,
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    const requests = [
      part('customers', 'POST', { displayName: 'Taken back' }),
      part(`customers(${id})`, 'PATCH', { colour: 'red' }, { 'if-match': '*' }),
    ];
    const headers = { accept: 'application/json', isolation: 'snapshot' };

    await change(id, { city });
    await change(id, { colour: 'red' });
    const batch = await sandbox.post('/api/v2.0/$batch', { requests }, { headers });
    expect(batch.body.responses.map((one: Json) => one.status)).toEqual([201, 400]);
    await sandbox.post(elsewhere, { displayName: 'Elsewhere' });
    await sandbox.patch(`${company}/items(${(await first('items')).id})`, '*', { unitPrice: 7 });
    const { id: told } = await create('Told');

    expect((await items()).map((item) => item.resource)).toEqual([`${customer}(${told})`]);
  });

  test('A.webhook.18 Writes in a batch cause notifications, whoever sent them', async () => {
    await subscribe(sandbox, receiver.url, 'customers', {}, 'service');
    const part = {
      method: 'POST',
      url: `companies(${sandboxCompanyId})/customers`,
      headers: { 'content-type': 'application/json' },
      body: { displayName: 'Part' },
    };
    const headers = { accept: 'application/json' };
    await sandbox.post('/api/v2.0/$batch', { requests: [part, part] }, { headers, token: 'another' });

    expect(types(await items())).toEqual(['created', 'created']);
  });

  test('A.webhook.19 Subscriptions with one URL share a request, others have their own', async () => {
    const made = [
      await subscribe(sandbox, receiver.url),
      await subscribe(sandbox, receiver.url, 'items'),
      await subscribe(sandbox, `${receiver.url}/2`, 'items'),
    ];
    const [one, two, three] = made.map(({ body }) => body.subscriptionId);
    await change((await first('customers')).id, { city: 'Oslo' });
    await sandbox.patch(`${company}/items(${(await first('items')).id})`, '*', { unitPrice: 7 });
    const requests = await told(2);

    expect(requests.map(({ value }) => value.map((item: Json) => item.subscriptionId)).sort()).toEqual(
      [[one, two], [three]].sort(),
    );
  });

  test('A.webhook.20 Indirect changes cause notifications, too: the order of a new line', async () => {
    await subscribe(sandbox, receiver.url, 'salesOrders');
    const order = await first('salesOrders');
    const line = { documentId: order.id, lineType: 'Comment', description: 'Late' };
    const { status } = await sandbox.post(`${company}/salesOrderLines`, line);

    expect(status).toBe(201);
    expect(await items()).toMatchObject([
      { changeType: 'updated', resource: expect.stringContaining(order.id) },
    ]);
  });

  test('A.webhook.21 More changes than the limit are one item, with the time to read from', async () => {
    const { body: made } = await subscribe(sandbox, receiver.url);
    await tell({ collectionLimit: 2 });
    const ids = new Set<string>();
    for (let n = 0; n < 3; n += 1) ids.add((await create(`New ${n}`)).id);
    const [item, ...others] = await items();

    expect(others).toEqual([]);
    expect(item).toMatchObject({ subscriptionId: made.subscriptionId, changeType: 'collection' });
    expect(item.resource).toMatch(
      /^\/api\/v2\.0\/companies\([\da-f-]+\)\/customers\?\$filter=lastModifiedDateTime%20gt%20[\dT:.-]+Z$/,
    );
    expect(new Set((await sandbox.list(item.resource)).map(({ id }) => id))).toEqual(ids);
  });

  test('A.webhook.22 With a deletion among them the item names the set only', async () => {
    await subscribe(sandbox, receiver.url);
    await tell({ collectionLimit: 1 });
    const { id } = await create('Short-lived');
    await sandbox.send('DELETE', `${customers}(${id})`);

    expect(await items()).toMatchObject([{ changeType: 'collection', resource: `/${customer}` }]);
  });

  test.each([[408], [429], [500], [503], [undefined]])(
    'A.webhook.23 A delivery answered %s is retried after a growing pause',
    async (status) => {
      receiver.answerNext({ status } as Json, { status } as Json);
      await subscribe(sandbox, receiver.url);
      await create('New');
      await tell({ timeoutMs: 100 });
      const [one, two, three] = await told(3);
      const [a = 0, b = 0, c = 0] = receiver.notifications.map(({ at }) => at);

      expect(two).toEqual(one);
      expect(three).toEqual(one);
      expect(b - a).toBeGreaterThanOrEqual(18);
      expect(c - b).toBeGreaterThanOrEqual(38);
      expect(await sandbox.list(subscriptions)).toHaveLength(1);
    },
  );

  test('A.webhook.24 After the last attempt the subscription is removed', async () => {
    receiver.answerNext(...Array.from({ length: 4 }, () => ({ status: 503 })));
    await subscribe(sandbox, receiver.url);
    await create('New');
    await told(3);

    await expect.poll(() => sandbox.list(subscriptions)).toEqual([]);
    expect(receiver.notifications).toHaveLength(3);
  });

  test.each([302, 400, 401, 404, 410])(
    'A.webhook.25 A delivery answered %i removes every subscription of the request at once',
    async (status) => {
      receiver.answerNext({ status });
      await subscribe(sandbox, receiver.url);
      await subscribe(sandbox, receiver.url);
      const { body: other } = await subscribe(sandbox, receiver.url, 'items');
      await create('New');
      await told(1);

      await expect
        .poll(() => sandbox.list(subscriptions))
        .toMatchObject([{ subscriptionId: other.subscriptionId }]);
      expect(receiver.notifications).toHaveLength(1);
    },
  );

  test('A.webhook.26 Expired and deleted subscriptions get no further notifications', async () => {
    await tell({ lifetimeMs: 20 });
    await subscribe(sandbox, receiver.url);
    await tell({ lifetimeMs: 60_000 });
    const { body: left } = await subscribe(sandbox, receiver.url);
    const { body: kept } = await subscribe(sandbox, receiver.url);
    await create('New');
    await sandbox.send('DELETE', `${subscriptions}('${left.subscriptionId}')`);
    await new Promise((resolve) => setTimeout(resolve, 25));

    expect(await items()).toMatchObject([{ subscriptionId: kept.subscriptionId }]);
  });
});
