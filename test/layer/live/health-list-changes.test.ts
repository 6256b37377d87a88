import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
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
      return given?.data.healthEventsChanged;
    },
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
  const events = await startWatching(sandbox, layer, { query });
  const limited = await startWatching(sandbox, layer, { query, token: 'limited-1' });

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
  const fetches = (await sandbox.calls()).filter(
    ({ method, path }) => method === 'POST' && path.includes('SA_5-XYZ'),
  );
  expect(fetches).toHaveLength(2);
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
    watch({ subscriptionId }),
    watch({}, 'another'),
  ];
  // In each round three lists are polled.
  await expect.poll(async () => (await polls(sandbox)).length).toBe(6);
  await set(sandbox, 'SI_1-QRT', { title: 'For all' });

  for (const [index, events] of all.entries())
    expect(await events.next()).toMatchObject({
      title: 'For all',
      scope: index === 2 ? subscriptionId : 'tenant',
    });
  // The third round has sent the change; of four polls it would have been the twelfth poll.
  const made = await polls(sandbox);
  expect(made.length).toBeLessThan(12);
  const callers = made.map(({ path, headers }) =>
    path.startsWith(`/subscriptions/${subscriptionId}/`) ? 'of the scope' : headers.authorization,
  );
  expect(new Set(callers).size).toBe(3);
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
