import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Event } from '../../support/layer.ts';
import { testToken, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({}, { POLL_HEALTH_MS: '50' });

const changed = `subscription ($trackingId: String!) {
  healthEventChanged(trackingId: $trackingId) { scope trackingId status title summary }
}`;

const set = (sandbox: TestSandbox, trackingId: string, properties: object) =>
  sandbox.send('POST', '/sandbox/events', { trackingId, properties });

/** Watchers of the test before may still poll, with another token. */
const callsOf = async (sandbox: TestSandbox, token: string) => {
  const mark = hash('sha256', token, 'hex').slice(0, 12);
  return (await sandbox.calls()).filter(({ headers }) => headers.authorization === `Bearer sha256:${mark}`);
};

const isFetch = ({ method }: { readonly method: string }) => method === 'POST';

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
  ['expired-1', 'SA_5-XYZ', 'UNAUTHENTICATED', 1],
  // It might have the right to fetch, and no other.
  ['denied-1', 'SA_5-XYZ', 'FORBIDDEN', 2],
  ['of-no-path', '..', 'BAD_USER_INPUT', 0],
] as const)(
  'the token %s gets for %s the error %s, and nothing else, after calls: %i',
  async ([token, trackingId, code, calls], { layer, sandbox }) => {
    const events = reading(layer.watch(changed, { trackingId }, token));

    expect((await events.event())?.errors).toMatchObject([{ extensions: { code } }]);
    expect(await events.next()).toBe('the end');
    expect(await callsOf(sandbox, token)).toHaveLength(calls);
  },
);

test('transient failures do not end the subscription', async ({ layer, sandbox }) => {
  for (const status of [503, 408]) await sandbox.fault({ path: '/events/SI_1-QRT', status, body: {} });
  const events = reading(layer.watch(changed, { trackingId: 'SI_1-QRT' }));

  expect(await events.next()).toMatchObject({ status: 'ACTIVE' });
  for (const body of ['<html>', {}]) await sandbox.fault({ path: '/events/SI_1-QRT', status: 200, body });
  await sandbox.fault({ path: '/events/SI_1-QRT', reset: 'before' });
  await set(sandbox, 'SI_1-QRT', { status: 'Resolved' });

  expect(await events.next()).toMatchObject({ status: 'RESOLVED' });
  await events.leave();
});

test('subscribers of an event with one token share one poll, and another token has its own', async ({
  layer,
  sandbox,
}) => {
  // An event of this test alone: watchers of the test before may still poll theirs.
  const trackingId = 'TW_2-SUB';
  await set(sandbox, trackingId, { title: 'Of two' });
  await sandbox.fault({ path: `/events/${trackingId}`, delayMs: 500, times: 2 });
  const made = async () => (await sandbox.calls()).filter(({ path }) => path.includes(trackingId)).length;

  const all = [testToken, testToken, 'another'].map((token) =>
    reading(layer.watch(changed, { trackingId }, token)),
  );
  const first = all.map((events) => events.next());
  await expect.poll(made).toBe(2);
  await sleep(150);

  expect(await made()).toBe(2);
  for (const event of await Promise.all(first)) expect(event).toMatchObject({ trackingId });
  await Promise.all(all.map((events) => events.leave()));
});

const title = 'Renew the access keys of your storage';
const without = (code: string) => ({
  data: { healthEventChanged: { title, summary: null } },
  errors: [{ path: ['healthEventChanged', 'summary'], extensions: { code } }],
});

test('a fetch that fails is reported once at the withheld fields, with the rest, and repeated at each poll', async ({
  layer,
  sandbox,
}) => {
  const token = 'of-a-failing-fetch';
  await sandbox.fault({ path: '/fetchEventDetails', status: 503, body: {}, times: 4 });
  const events = reading(layer.watch(changed, { trackingId: 'SA_5-XYZ' }, token));

  expect(await events.event()).toMatchObject(without('UPSTREAM_UNAVAILABLE'));
  expect(await events.next()).toMatchObject({ title, summary: 'Access keys were used by someone else.' });
  expect((await callsOf(sandbox, token)).filter(isFetch)).toHaveLength(5);
  await events.leave();
});

test('fields that one token may read are not sent to a subscriber whose token may not', async ({ layer }) => {
  const events = reading(layer.watch(changed, { trackingId: 'SA_5-XYZ' }));
  expect(await events.next()).toMatchObject({ summary: expect.stringMatching(/\w/) });

  const others = reading(layer.watch(changed, { trackingId: 'SA_5-XYZ' }, 'limited-1'));

  expect(await others.event()).toMatchObject(without('FORBIDDEN'));
  await Promise.all([events, others].map((watcher) => watcher.leave()));
});

test('a new subscriber gets nothing that is withheld by then, though an earlier one with the same token did', async ({
  layer,
  sandbox,
}) => {
  const token = 'of-one-who-loses-it';
  const watch = () => reading(layer.watch(changed, { trackingId: 'SA_5-XYZ' }, token));
  const earlier = watch();
  expect(await earlier.next()).toMatchObject({ summary: expect.stringMatching(/\w/) });
  await sandbox.fault({ path: '/fetchEventDetails', status: 403, body: {}, times: 10 });

  const later = watch();

  expect(await later.event()).toMatchObject(without('FORBIDDEN'));
  await set(sandbox, 'SA_5-XYZ', { title: 'Renew them all', lastUpdateTime: '2026-01-01T00:00:00Z' });
  for (const events of [earlier, later])
    expect(await events.event()).toMatchObject({
      data: { healthEventChanged: { title: 'Renew them all', summary: null } },
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
  expect((await callsOf(sandbox, token)).filter(isFetch)).toHaveLength(3);
  await Promise.all([earlier, later].map((events) => events.leave()));
});
