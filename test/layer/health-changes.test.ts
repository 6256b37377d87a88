import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Event } from '../support/layer.ts';
import { testToken, testWith } from '../support/layer.ts';
import type { TestSandbox } from '../support/sandbox.ts';

const test = testWith({}, { POLL_HEALTH_MS: '50' });

const changed = `subscription ($trackingId: String!, $subscriptionId: String) {
  healthEventChanged(trackingId: $trackingId, subscriptionId: $subscriptionId) { scope trackingId status title summary }
}`;
const ways = ['watch', 'watchEvents'] as const;

const set = (sandbox: TestSandbox, trackingId: string, properties: object) =>
  sandbox.send('POST', '/sandbox/events', { trackingId, properties });

const fetches = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ path }) => path.includes('/fetchEventDetails'));

function reading(events: AsyncIterable<Event>) {
  const iterator = events[Symbol.asyncIterator]();
  return {
    async next() {
      const { value, done } = await iterator.next();
      if (done) return 'the end';
      expect(value.errors).toBeUndefined();
      return value.data.healthEventChanged;
    },
    event: async () => (await iterator.next()).value as Event | undefined,
    leave: () => iterator.return?.(),
  };
}

test.for(ways)(
  'an event is told as it is now, and every change of it once (%s)',
  async (way, { layer, sandbox }) => {
    const events = reading(layer[way](changed, { trackingId: 'SA_5-XYZ' }));

    expect(await events.next()).toEqual({
      scope: 'tenant',
      trackingId: 'SA_5-XYZ',
      status: 'ACTIVE',
      title: 'Renew the access keys of your storage',
      summary: 'Access keys were used by someone else.',
    });
    await set(sandbox, 'SA_5-XYZ', { title: 'Renew them all' });
    expect(await events.next()).toMatchObject({ status: 'ACTIVE', title: 'Renew them all' });
    const next = events.next();
    // Nothing changes while it is looked at several times.
    expect(await Promise.race([next, sleep(300, 'silence')])).toBe('silence');
    await set(sandbox, 'SA_5-XYZ', { status: 'Resolved' });
    expect(await next).toMatchObject({ status: 'RESOLVED', title: 'Renew them all' });
    await events.leave();
  },
);

test.for(ways)(
  'an event that is not there is null, until it is, and again when it is gone (%s)',
  async (way, { layer, sandbox }) => {
    const events = reading(layer[way](changed, { trackingId: 'XX_0-NIL' }));

    expect(await events.next()).toBeNull();
    await set(sandbox, 'XX_0-NIL', { title: 'Here now' });
    expect(await events.next()).toMatchObject({ title: 'Here now' });
    await sandbox.send('POST', '/sandbox/events', { trackingId: 'XX_0-NIL', remove: true });
    expect(await events.next()).toBeNull();
    await events.leave();
  },
);

test('an event of a subscription is looked at there', async ({ layer, sandbox }) => {
  const subscriptionId = '11111111-2222-4333-8444-555555555555';
  const events = reading(layer.watch(changed, { trackingId: 'SI_1-QRT', subscriptionId }));

  expect(await events.next()).toMatchObject({ scope: subscriptionId, trackingId: 'SI_1-QRT' });
  await events.leave();

  for (const { path } of await fetches(sandbox)) expect(path).toMatch(`/subscriptions/${subscriptionId}/`);
});

test.for(ways)(
  'a token that expires ends the watching with UNAUTHENTICATED (%s)',
  async (way, { layer, sandbox }) => {
    const events = reading(layer[way](changed, { trackingId: 'SI_1-QRT' }));
    await events.next();

    await sandbox.fault({
      path: '/fetchEventDetails',
      status: 401,
      body: { code: 'ExpiredAuthenticationToken' },
    });

    expect(await events.event()).toMatchObject({
      data: { healthEventChanged: null },
      errors: [{ extensions: { code: 'UNAUTHENTICATED', upstream: 'health' } }],
    });
    expect(await events.next()).toBe('the end');
  },
);

test.for([
  ['expired-1', 'SI_1-QRT', 'UNAUTHENTICATED'],
  ['limited-1', 'SA_5-XYZ', 'FORBIDDEN'],
] as const)(
  'a token that may not look, %s, is told so, and that is all',
  async ([token, trackingId, code], { layer, sandbox }) => {
    const events = reading(layer.watch(changed, { trackingId }, token));

    expect((await events.event())?.errors).toMatchObject([{ extensions: { code } }]);
    expect(await events.next()).toBe('the end');
    expect(await fetches(sandbox)).toHaveLength(1);
  },
);

test('failures that pass do not end the watching', async ({ layer, sandbox }) => {
  for (const status of [503, 500, 504, 408])
    await sandbox.fault({ path: '/fetchEventDetails', status, body: {} });
  const events = reading(layer.watch(changed, { trackingId: 'SI_1-QRT' }));

  expect(await events.next()).toMatchObject({ status: 'ACTIVE' });
  for (const body of ['<html>', [], {}])
    await sandbox.fault({ path: '/fetchEventDetails', status: 200, body });
  await sandbox.fault({ path: '/fetchEventDetails', reset: 'before' });
  await set(sandbox, 'SI_1-QRT', { status: 'Resolved' });

  expect(await events.next()).toMatchObject({ status: 'RESOLVED' });
  await events.leave();
});

test('an upstream that throttles is left alone for as long as it asks', async ({ layer, sandbox }) => {
  await sandbox.fault({
    path: '/fetchEventDetails',
    status: 429,
    headers: { 'retry-after': '1' },
    body: { code: 'TooManyRequests' },
  });
  const events = reading(layer.watch(changed, { trackingId: 'SI_1-QRT' }));
  const next = events.next();
  await expect.poll(async () => (await fetches(sandbox)).length).toBe(1);

  await sleep(600);

  expect(await fetches(sandbox)).toHaveLength(1);
  expect(await next).toMatchObject({ trackingId: 'SI_1-QRT' });
  await events.leave();
});

test.for([
  ['share one poller', [testToken, testToken], 1],
  ['do not, with a token each', [testToken, 'another'], 2],
] as const)('two who watch an event %s', async ([_how, tokens, calls], { layer, sandbox }) => {
  await sandbox.fault({ path: '/fetchEventDetails', delayMs: 1_500, times: 2 });

  const all = tokens.map((token) => reading(layer.watch(changed, { trackingId: 'SI_1-QRT' }, token)));
  const first = all.map((events) => events.next());
  await expect.poll(async () => (await fetches(sandbox)).length).toBe(calls);
  await sleep(250);
  const meanwhile = await fetches(sandbox);

  expect(meanwhile).toHaveLength(calls);
  for (const event of await Promise.all(first)) expect(event).toMatchObject({ trackingId: 'SI_1-QRT' });
  await Promise.all(all.map((events) => events.leave()));
});

test('what a token may read is not told to another that may not', async ({ layer }) => {
  const events = reading(layer.watch(changed, { trackingId: 'SA_5-XYZ' }));
  expect(await events.next()).toMatchObject({ summary: expect.stringMatching(/\w/) });

  const others = reading(layer.watch(changed, { trackingId: 'SA_5-XYZ' }, 'limited-1'));

  expect(await others.event()).toMatchObject({
    data: { healthEventChanged: null },
    errors: [{ extensions: { code: 'FORBIDDEN' } }],
  });
  await events.leave();
});

test.for(ways)('the last one leaving stops the polling (%s)', async (way, { layer, sandbox }) => {
  const all = [1, 2].map(() => reading(layer[way](changed, { trackingId: 'SI_1-QRT' })));
  await Promise.all(all.map((events) => events.next()));
  await all[0]?.leave();
  await sandbox.forgetCalls();
  await expect.poll(async () => (await fetches(sandbox)).length).toBeGreaterThan(1);

  await all[1]?.leave();

  const pollsInAWhile = async () => {
    await sandbox.forgetCalls();
    await sleep(250);
    return (await fetches(sandbox)).length;
  };
  await expect.poll(pollsInAWhile, { timeout: 4_000 }).toBe(0);
});

test.for(['', 'a/b', '..'])(
  'the tracking id %j cannot be watched',
  async (trackingId, { layer, sandbox }) => {
    const events = reading(layer.watch(changed, { trackingId }));

    await expect(
      events.event().then((event) => {
        throw event?.errors;
      }),
    ).rejects.toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(await fetches(sandbox)).toEqual([]);
  },
);
