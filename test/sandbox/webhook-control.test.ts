import { afterEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';
import { subscribe, subscriptions, useReceiver } from './webhook-receiver.ts';

const sandbox = useSandbox({ webhooks: { delayMs: 60_000, timeoutMs: 1_000 } });
const receiver = useReceiver();
const path = '/sandbox/webhooks';

const steer = (body: unknown) => sandbox.post(path, body);
const shown = async (): Promise<Json> => (await sandbox.get(path)).body;
const create = async (displayName: string) =>
  (await sandbox.post(`${company}/customers`, { displayName })).body.id;
const resources = (told: Json[]) => told.map(({ value }) => value.map((item: Json) => item.resource));
const pointer = (...ids: string[]) => ids.map((id) => `${company.slice(1)}/customers(${id})`);

/** Creates a customer, whose creation is told at once. */
async function createTold(displayName: string): Promise<string> {
  const id = await create(displayName);
  await steer({ deliver: 'now' });
  return id;
}

describe('control of webhooks', () => {
  test('S.webhook.1 Pending notifications can be sent at once, and are listed with their attempts', async () => {
    const { body: made } = await subscribe(sandbox, receiver.url, 'customers', { clientState: 's' }, 'a~1');
    const id = await createTold('New');

    expect(resources(await receiver.told(1))).toEqual([pointer(id)]);
    await expect.poll(shown).toMatchObject({
      settings: { delayMs: 60_000, lifetimeMs: 259_200_000, collectionLimit: 1_000 },
      subscriptions: [{ owner: 'a', subscriptionId: made.subscriptionId, clientState: 's' }],
      deliveries: [{ notificationUrl: receiver.url, state: 'delivered', attempts: [{ status: 200 }] }],
    });
    expect((await shown()).deliveries[0].body).toBe(receiver.notifications[0]?.text);
  });

  test('S.webhook.2 Settings hold until a reset, which deletes subscriptions and deliveries, too', async () => {
    await subscribe(sandbox, receiver.url);
    await createTold('New');
    await receiver.told(1);
    await create('Waiting');
    await steer({ delayMs: 1, lifetimeMs: 2, collectionLimit: 3, timeoutMs: 4, retryPausesMs: [5] });
    expect((await shown()).settings).toMatchObject({ delayMs: 1, retryPausesMs: [5] });
    await sandbox.post('/sandbox/reset');

    expect(await shown()).toMatchObject({
      settings: { delayMs: 60_000, timeoutMs: 1_000, retryPausesMs: [1_000, 1_000, 10_000, 100_000] },
      subscriptions: [],
      deliveries: [],
    });
    await steer({ deliver: 'now' });
    expect((await shown()).deliveries).toEqual([]);
  });

  test('S.webhook.3 A dropped subscription disappears without a notification', async () => {
    const { subscriptionId } = (await subscribe(sandbox, receiver.url)).body;

    expect((await steer({ drop: subscriptionId })).status).toBe(204);
    expect((await sandbox.get(`${subscriptions}('${subscriptionId}')`)).status).toBe(404);
  });

  test('S.webhook.4 A forged notification is sent to any URL with any body, once', async () => {
    receiver.answerNext({ status: 503 });
    const value = [{ subscriptionId: 'none', changeType: 'updated' }];
    await steer({ send: { notificationUrl: receiver.url, body: { value } } });
    await steer({ send: { notificationUrl: receiver.url, body: '{not JSON' } });
    await expect.poll(() => receiver.notifications).toHaveLength(2);

    expect(receiver.notifications.map(({ text }) => text).sort()).toEqual(
      [JSON.stringify({ value }), '{not JSON'].sort(),
    );
    await expect
      .poll(async () => (await shown()).deliveries.map(({ state }: Json) => state))
      .toEqual(['given up', 'delivered']);
  });

  test('S.webhook.6 The next notification can be sent twice', async () => {
    await subscribe(sandbox, receiver.url);
    await steer({ fault: 'twice' });
    const id = await createTold('New');

    expect(resources(await receiver.told(2))).toEqual([pointer(id), pointer(id)]);
  });

  test('S.webhook.7 The next notification can be sent after the one that follows it, or after all others', async () => {
    await subscribe(sandbox, receiver.url);
    await steer({ fault: 'afterNext', times: 1 });
    const [one, two] = [await createTold('One'), await createTold('Two')];
    expect(resources(await receiver.told(2))).toEqual([pointer(two), pointer(one)]);

    await steer({ fault: 'afterNext', times: 1 });
    const three = await createTold('Three');
    expect((await shown()).deliveries[2].state).toBe('held');
    await steer({ deliver: 'now' });
    expect(resources(await receiver.told(3))[2]).toEqual(pointer(three));
  });

  test('S.webhook.8 The next notification can be omitted', async () => {
    await subscribe(sandbox, receiver.url);
    await steer({ fault: 'never', times: 1 });
    await createTold('Lost');
    await steer({ deliver: 'now' });

    expect((await shown()).deliveries).toMatchObject([{ fault: 'never', state: 'lost', attempts: [] }]);
  });

  test.each<unknown>([
    { delayMs: -1 },
    { delayMs: 3_000_000_000 },
    { retryPausesMs: 5 },
    { colour: 'red' },
    { toString: 1 },
    { deliver: true },
    { drop: 7 },
    { fault: 'thrice' },
    { fault: 'twice', times: -1 },
    { send: { notificationUrl: 'hook', body: {} } },
    { send: { notificationUrl: 'http://127.0.0.1:1' } },
    [],
  ])('S.webhook.9 A body such as %j is 400', async (body) => {
    expect((await steer(body)).status).toBe(400);
  });

  test('S.webhook.10 Both URLs are in the index', async () => {
    const { available } = (await sandbox.get('/sandbox')).body;

    expect(available[`POST ${path}`]).toContain('twice, afterNext, never');
    expect(available[`GET ${path}`]).toContain('subscriptions');
  });

  test('S.webhook.11 Faults and chaos apply to subscriptions as to other requests', async () => {
    await sandbox.post('/sandbox/faults', { path: '/subscriptions', status: 429 });
    expect((await subscribe(sandbox, receiver.url)).status).toBe(429);
    expect(receiver.handshakes).toEqual([]);
    await sandbox.post('/sandbox/chaos', { rate: 1, kinds: ['error503After'] });

    expect((await subscribe(sandbox, receiver.url)).status).toBe(503);
    expect((await shown()).subscriptions).toHaveLength(1);
  });
});

describe('shutdown', () => {
  let own: Sandbox | undefined;
  afterEach(() => own?.stop());

  test('S.webhook.12 stop() ends handshakes, deliveries and pauses at once', async () => {
    own = await startSandbox({ webhooks: { delayMs: 0, timeoutMs: 60_000, retryPausesMs: [20, 20] } });
    const { url } = own;
    const ask = (to: string, method: string, body: unknown) =>
      fetch(url + to, {
        method,
        headers: { authorization: 'Bearer a', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const subscription = { notificationUrl: receiver.url, resource: `${company}/customers` };
    expect((await ask(subscriptions, 'POST', subscription)).status).toBe(201);
    receiver.answerNext({ status: 503 }, { status: undefined as never });
    await ask(`${company}/customers`, 'POST', { displayName: 'New' });
    await receiver.told(2);
    receiver.onHandshake(() => ({ status: undefined as never }));
    const waiting = ask(subscriptions, 'POST', subscription).catch(() => 'closed');
    await expect.poll(() => receiver.handshakes).toHaveLength(2);
    const startedAt = performance.now();
    await own.stop();

    await waiting;
    expect(performance.now() - startedAt).toBeLessThan(500);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(receiver.notifications).toHaveLength(2);
  });
});
