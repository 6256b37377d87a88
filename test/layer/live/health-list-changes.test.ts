import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished } from 'vitest';
import { type Event, startTestLayer, type TestLayer, testToken, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({}, { POLL_HEALTH_MS: '50' });

const changed = `subscription ($subscriptionId: String, $filter: HealthEventFilter) {
  healthEventsChanged(subscriptionId: $subscriptionId, filter: $filter) { scope trackingId title status }
}`;
const subscriptionId = '11111111-2222-4333-8444-555555555555';

const set = (sandbox: TestSandbox, trackingId: string, properties: object) =>
  sandbox.send('POST', '/sandbox/events', { trackingId, properties });

/** Reads of the first page of a list; a poll reads all pages. */
const polls = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ path }) => /\/events\?api-version=[\d-]+$/.test(path));

/** The layer learns after the end of a test that its subscribers have left. */
const untilNobodyPolls = (sandbox: TestSandbox) =>
  expect
    .poll(async () => {
      await sandbox.forgetCalls();
      await sleep(200);
      return sandbox.calls();
    })
    .toEqual([]);

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
      return given ? given.data.healthEventsChanged : 'the end';
    },
    leave: () => iterator.return?.(),
  };
}

/** A watcher that knows the list already: what changes from now on is sent. */
async function startWatching(
  sandbox: TestSandbox,
  layer: TestLayer,
  { query = changed, variables = {}, token = testToken } = {},
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
  const events = await startWatching(sandbox, layer);

  await set(sandbox, 'SI_1-QRT', { title: 'Slower than usual' });
  expect(await events.next()).toMatchObject({
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

describe('withheld fields', () => {
  const query = 'subscription { healthEventsChanged { trackingId title summary } }';
  const fetches = async (sandbox: TestSandbox) =>
    (await sandbox.calls()).filter(({ method, path }) => method === 'POST' && path.includes('/events/'));

  test('are fetched with one call for each sensitive event that is sent', async ({ layer, sandbox }) => {
    const events = await startWatching(sandbox, layer, { query });

    await set(sandbox, 'SA_5-XYZ', { title: 'Renew them all' });
    expect(await events.next()).toEqual({
      trackingId: 'SA_5-XYZ',
      title: 'Renew them all',
      summary: 'Access keys were used by someone else.',
    });
    await set(sandbox, 'SA_5-XYZ', { title: 'All', summary: 'Renewed' });
    expect(await events.next()).toMatchObject({ title: 'All', summary: 'Renewed' });
    await set(sandbox, 'SI_1-QRT', { title: 'Plain' });
    expect(await events.next()).toMatchObject({ title: 'Plain' });

    expect(await fetches(sandbox)).toHaveLength(2);
  });

  test('are FORBIDDEN where the token may not read them, and the rest is sent', async ({
    layer,
    sandbox,
  }) => {
    const events = await startWatching(sandbox, layer, { query, token: 'limited-1' });

    await set(sandbox, 'SA_5-XYZ', { title: 'Renew them all' });

    expect(await events.event()).toMatchObject({
      data: { healthEventsChanged: { title: 'Renew them all', summary: null } },
      errors: [{ path: ['healthEventsChanged', 'summary'], extensions: { code: 'FORBIDDEN' } }],
    });
  });
});

test('subscribers with one token and scope share one poll, whatever their filters; others have their own', async ({
  sandbox,
}) => {
  await untilNobodyPolls(sandbox);
  const layer = await startTestLayer(sandbox.url, { POLL_HEALTH_MS: '400' });
  onTestFinished(() => layer.stop());
  const watch = (variables = {}, token = testToken) => reading(layer.watch(changed, variables, token));
  const all = [
    watch(),
    watch({ filter: { status: { eq: 'Active' } } }),
    watch({ subscriptionId: null }),
    watch({ subscriptionId }),
    watch({}, 'another'),
  ];
  // In each round three lists are polled.
  await expect.poll(async () => (await polls(sandbox)).length).toBe(6);
  await set(sandbox, 'SI_1-QRT', { title: 'For all' });

  for (const [index, events] of all.entries())
    expect(await events.next()).toMatchObject({
      title: 'For all',
      scope: index === 3 ? subscriptionId : 'tenant',
    });
  // The third round has sent the change; of five polls it would have been the fifteenth poll.
  const made = await polls(sandbox);
  expect(made.length).toBeLessThan(15);
  const isOwn = ({ path }: { readonly path: string }) => path.startsWith(`/subscriptions/${subscriptionId}/`);
  const tokens = made.filter((call) => !isOwn(call)).map(({ headers }) => headers.authorization);
  expect(new Set(tokens).size).toBe(2);
  expect(made.some(isOwn)).toBe(true);
  await Promise.all(all.map((events) => events.leave()));
});

test('a filter decides by the new state', async ({ layer, sandbox }) => {
  const variables = { filter: { status: { eq: 'RESOLVED' }, title: { contains: 'MAIL' } } };
  const events = await startWatching(sandbox, layer, { variables });

  await set(sandbox, 'NE_1-WWW', { title: 'Mail is slow', status: 'Active' });
  await set(sandbox, 'NE_2-WWW', { title: 'Queues are slow', status: 'Resolved' });
  await sandbox.forgetCalls();
  await expect.poll(async () => (await polls(sandbox)).length).toBeGreaterThanOrEqual(2);
  await set(sandbox, 'NE_1-WWW', { status: 'Resolved' });

  expect(await events.next()).toMatchObject({ trackingId: 'NE_1-WWW', status: 'RESOLVED' });
});
