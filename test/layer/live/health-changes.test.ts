import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Event } from '../../support/layer.ts';
import { testToken, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({}, { POLL_HEALTH_MS: '50' });

const changed = `subscription ($trackingId: String!, $subscriptionId: String) {
  healthEventChanged(trackingId: $trackingId, subscriptionId: $subscriptionId) { scope trackingId status title summary }
}`;

const set = (sandbox: TestSandbox, trackingId: string, properties: object) =>
  sandbox.send('POST', '/sandbox/events', { trackingId, properties });

const looks = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ path }) => path.includes('/events/'));

/** Watchers of the test before may still poll, with another token. */
const callsOf = async (sandbox: TestSandbox, token: string) => {
  const mark = hash('sha256', token, 'hex').slice(0, 12);
  return (await sandbox.calls()).filter(({ headers }) => headers.authorization === `Bearer sha256:${mark}`);
};

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

test.for(['watch', 'watchEvents'] as const)(
  'the current state of an event is reported, and every change of it once (%s)',
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
    expect(await Promise.race([next, sleep(200, 'silence')])).toBe('silence');
    await set(sandbox, 'SA_5-XYZ', { status: 'Resolved' });
    expect(await next).toMatchObject({ status: 'RESOLVED', title: 'Renew them all' });
    await events.leave();
  },
);

test('an event that does not exist is null until it does, and again when it is removed', async ({
  layer,
  sandbox,
}) => {
  const events = reading(layer.watch(changed, { trackingId: 'XX_0-NIL' }));

  expect(await events.next()).toBeNull();
  await set(sandbox, 'XX_0-NIL', { title: 'Here now' });
  expect(await events.next()).toMatchObject({ title: 'Here now' });
  await sandbox.send('POST', '/sandbox/events', { trackingId: 'XX_0-NIL', remove: true });
  expect(await events.next()).toBeNull();
  await events.leave();
});

test.for([
  ['expired-1', 'UNAUTHENTICATED', 1],
  // It might have the right to fetch, and no other.
  ['denied-1', 'FORBIDDEN', 2],
] as const)(
  'a token without the right to read, %s, gets that error, and nothing else',
  async ([token, code, calls], { layer, sandbox }) => {
    const events = reading(layer.watch(changed, { trackingId: 'SA_5-XYZ' }, token));

    expect((await events.event())?.errors).toMatchObject([{ extensions: { code } }]);
    expect(await events.next()).toBe('the end');
    expect(await callsOf(sandbox, token)).toHaveLength(calls);
  },
);

test('transient failures do not end the subscription', async ({ layer, sandbox }) => {
  for (const status of [503, 500, 504, 408])
    await sandbox.fault({ path: '/events/SI_1-QRT', status, body: {} });
  const events = reading(layer.watch(changed, { trackingId: 'SI_1-QRT' }));

  expect(await events.next()).toMatchObject({ status: 'ACTIVE' });
  for (const body of ['<html>', [], {}]) await sandbox.fault({ path: '/events/SI_1-QRT', status: 200, body });
  await sandbox.fault({ path: '/events/SI_1-QRT', reset: 'before' });
  await set(sandbox, 'SI_1-QRT', { status: 'Resolved' });

  expect(await events.next()).toMatchObject({ status: 'RESOLVED' });
  await events.leave();
});

test.for([
  ['share one poll', [testToken, testToken], 1],
  ['do not, with a token each', [testToken, 'another'], 2],
] as const)('two subscribers of an event %s', async ([_how, tokens, calls], { layer, sandbox }) => {
  // An event of this test alone: watchers of the test before may still poll theirs.
  const trackingId = `TW_${calls}-SUB`;
  await set(sandbox, trackingId, { title: 'Of two' });
  await sandbox.fault({ path: `/events/${trackingId}`, delayMs: 500, times: 2 });
  const made = async () => (await looks(sandbox)).filter(({ path }) => path.includes(trackingId)).length;

  const all = tokens.map((token) => reading(layer.watch(changed, { trackingId }, token)));
  const first = all.map((events) => events.next());
  await expect.poll(made).toBe(calls);
  await sleep(150);
  const meanwhile = await made();

  expect(meanwhile).toBe(calls);
  for (const event of await Promise.all(first)) expect(event).toMatchObject({ trackingId });
  await Promise.all(all.map((events) => events.leave()));
});

test('fields that one token may read are not sent to a subscriber whose token may not', async ({ layer }) => {
  const events = reading(layer.watch(changed, { trackingId: 'SA_5-XYZ' }));
  expect(await events.next()).toMatchObject({ summary: expect.stringMatching(/\w/) });

  const others = reading(layer.watch(changed, { trackingId: 'SA_5-XYZ' }, 'limited-1'));

  expect(await others.event()).toMatchObject({
    data: { healthEventChanged: { title: 'Renew the access keys of your storage', summary: null } },
    errors: [{ path: ['healthEventChanged', 'summary'], extensions: { code: 'FORBIDDEN' } }],
  });
  await Promise.all([events, others].map((watcher) => watcher.leave()));
});

test('an event whose tracking id is no segment of a path cannot be subscribed to', async ({
  layer,
  sandbox,
}) => {
  const event = await reading(layer.watch(changed, { trackingId: '..' }, 'of-no-path')).event();

  expect(event?.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(await callsOf(sandbox, 'of-no-path')).toEqual([]);
});
