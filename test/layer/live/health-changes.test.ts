import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { Json } from '../../support/json.ts';
import { type Event, startLayerForTest, type TestLayer, testToken, testWith } from '../../support/layer.ts';
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
  onTestFinished(async () => void (await iterator.return?.()));
  let pending: Promise<IteratorResult<Event>> | null = iterator.next();
  const event = async (): Promise<Event | undefined> => {
    const waiting = pending ?? iterator.next();
    pending = null;
    return (await waiting).value;
  };
  return {
    event,
    async next() {
      const given = await event();
      expect(given?.errors).toBeUndefined();
      return given ? (Object.values(given.data)[0] as Json) : 'the end';
    },
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
});

test('the details of an event without an update time are fetched at each poll and sent once', async ({
  layer,
  sandbox,
}) => {
  const token = 'of-no-update-time';
  await set(sandbox, 'SA_5-XYZ', { lastUpdateTime: null });
  const events = reading(layer.watch(changed, { trackingId: 'SA_5-XYZ' }, token));
  expect(await events.next()).toMatchObject({ title });

  await expect.poll(async () => (await callsOf(sandbox, token)).filter(isFetch).length).toBeGreaterThan(2);
  await set(sandbox, 'SA_5-XYZ', { summary: 'Another summary' });

  expect(await events.next()).toMatchObject({ title, summary: 'Another summary' });
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
});

const listChanged = `subscription ($subscriptionId: String, $filter: HealthEventFilter) {
  healthEventsChanged(subscriptionId: $subscriptionId, filter: $filter) { scope trackingId title status }
}`;
const subscriptionId = '11111111-2222-4333-8444-555555555555';

/** Reads of the first page of a list; a poll reads all pages. */
const isListPoll = ({ path }: { readonly path: string }) => /\/events\?api-version=[\d-]+$/.test(path);
const polls = async (sandbox: TestSandbox) => (await sandbox.calls()).filter(isListPoll);

/** A watcher that knows the list already: what changes from now on is sent. */
async function watchList(
  sandbox: TestSandbox,
  layer: TestLayer,
  { query = listChanged, variables = {}, token = testToken } = {},
) {
  const before = (await polls(sandbox)).length;
  const events = reading(layer.watch(query, variables, token));
  // The second poll begins when the first is over.
  await expect.poll(async () => (await polls(sandbox)).length).toBeGreaterThanOrEqual(before + 2);
  return events;
}

test('events that are new or change are sent once each, and none that was there before', async ({
  layer,
  sandbox,
}) => {
  const events = await watchList(sandbox, layer);

  await set(sandbox, 'SI_1-QRT', { title: 'Slower than usual' });
  expect(await events.next()).toEqual({
    scope: 'tenant',
    trackingId: 'SI_1-QRT',
    title: 'Slower than usual',
    status: 'ACTIVE',
  });
  await set(sandbox, 'NE_1-WWW', { title: 'Here now', status: 'Active' });
  expect(await events.next()).toMatchObject({ trackingId: 'NE_1-WWW', title: 'Here now' });
  await set(sandbox, 'SI_1-QRT', { status: 'Resolved' });
  expect(await events.next()).toMatchObject({ trackingId: 'SI_1-QRT', status: 'RESOLVED' });
});

test('withheld fields are fetched once for each sensitive event, and FORBIDDEN to a token that may not read them', async ({
  layer,
  sandbox,
}) => {
  const query = 'subscription { healthEventsChanged { trackingId title summary } }';
  const [token, tokenOfLimited] = ['of-withheld-fields', 'limited-1'];
  const events = await watchList(sandbox, layer, { query, token });
  const limited = await watchList(sandbox, layer, { query, token: tokenOfLimited });

  await set(sandbox, 'SA_5-XYZ', { title: 'Renew them all' });
  const [sent, refused] = [await events.next(), await limited.event()];
  await set(sandbox, 'SI_1-QRT', { title: 'Plain' });
  expect(await events.next()).toMatchObject({ title: 'Plain' });

  expect(sent).toEqual({
    trackingId: 'SA_5-XYZ',
    title: 'Renew them all',
    summary: 'Access keys were used by someone else.',
  });
  expect(refused).toMatchObject({
    data: { healthEventsChanged: { title: 'Renew them all', summary: null } },
    errors: [{ path: ['healthEventsChanged', 'summary'], extensions: { code: 'FORBIDDEN' } }],
  });
  for (const each of [token, tokenOfLimited])
    expect((await callsOf(sandbox, each)).filter(isFetch)).toHaveLength(1);
});

test('subscribers with one token and scope share one poll, whatever their filters; others have their own', async ({
  sandbox,
}) => {
  const layer = await startLayerForTest(sandbox.url, { POLL_HEALTH_MS: '400' });
  const watch = (variables: Record<string, unknown>, token: string) =>
    reading(layer.watch(listChanged, variables, token));
  const all = [
    watch({}, 'one-of-lists'),
    watch({ filter: { status: { eq: 'Active' } } }, 'one-of-lists'),
    watch({ subscriptionId }, 'one-of-lists'),
    watch({}, 'other-of-lists'),
  ];
  const pollsOf = async (token: string) => (await callsOf(sandbox, token)).filter(isListPoll).length;
  // In each round one token polls two lists, and the other one.
  await expect.poll(() => pollsOf('one-of-lists')).toBe(4);
  await expect.poll(() => pollsOf('other-of-lists')).toBe(2);
  await set(sandbox, 'SI_1-QRT', { title: 'For all' });

  for (const [index, events] of all.entries())
    expect(await events.next()).toMatchObject({
      title: 'For all',
      scope: index === 2 ? subscriptionId : 'tenant',
    });
  // The third round has sent the change.
  expect(await pollsOf('one-of-lists')).toBeLessThan(9);
});

test('a filter decides by the new state', async ({ layer, sandbox }) => {
  const variables = { filter: { status: { eq: 'RESOLVED' }, title: { contains: 'MAIL' } } };
  const events = await watchList(sandbox, layer, { variables });

  await set(sandbox, 'NE_1-WWW', { title: 'Mail is slow', status: 'Active' });
  await set(sandbox, 'NE_2-WWW', { title: 'Queues are slow', status: 'Resolved' });
  await sandbox.forgetCalls();
  await expect.poll(async () => (await polls(sandbox)).length).toBeGreaterThanOrEqual(2);
  await set(sandbox, 'NE_1-WWW', { status: 'Resolved' });

  expect(await events.next()).toMatchObject({ trackingId: 'NE_1-WWW', status: 'RESOLVED' });
});
