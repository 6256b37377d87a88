import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test as plain } from 'vitest';
import { startBeforeStub, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';
import type { StubAnswer, StubRequest } from '../../support/stub.ts';

const test = testWith({}, { POLL_HEALTH_MS: '40' });

const events = '/providers/Vendor.Health/events';

/** The calls about single events, as method and operation. */
const callsOf = async (sandbox: TestSandbox, event = '/events/') =>
  (await sandbox.calls())
    .filter(({ path }) => path.includes(event))
    .map(({ method, path }) => `${method} ${path.split('?')[0]?.split('/').at(-1)}`);

test('a fetch that takes a stronger sign-in passes the claims on at the withheld fields', async ({
  layer,
  sandbox,
}) => {
  const claims = Buffer.from('{"access_token":{"acrs":{"value":"c1"}}}').toString('base64');
  const headers = { 'www-authenticate': `Bearer error="insufficient_claims", claims="${claims}"` };
  await sandbox.fault({ path: '/SA_1-CRT/fetchEventDetails', status: 401, headers, body: {} });

  const { data, errors } = await layer.query('{ healthEvent(trackingId: "SA_1-CRT") { title summary } }');

  expect(data.healthEvent).toEqual({ title: 'Signing keys were renewed', summary: null });
  expect(errors).toMatchObject([
    { path: ['healthEvent', 'summary'], extensions: { code: 'UNAUTHENTICATED', claims } },
  ]);
});

const watched = (selection: string) =>
  `subscription { healthEventChanged(trackingId: "SA_5-XYZ") { ${selection} } }`;
const set = (sandbox: TestSandbox, properties: object) =>
  sandbox.send('POST', '/sandbox/events', { trackingId: 'SA_5-XYZ', properties });

test('a subscriber with the right to fetch gets changes of withheld fields, with one fetch for each change', async ({
  layer,
  sandbox,
}) => {
  const told = layer.watch(watched('status summary'), {})[Symbol.asyncIterator]();
  expect((await told.next()).value.errors).toBeUndefined();
  await sleep(200);
  // A plain record shows of it only that the event was updated.
  await set(sandbox, { summary: 'Renewed' });

  const { value } = await told.next();
  await told.return?.();

  expect(value).toEqual({ data: { healthEventChanged: { status: 'ACTIVE', summary: 'Renewed' } } });
  const calls = await callsOf(sandbox);
  expect(calls.slice(0, 3)).toEqual(['GET SA_5-XYZ', 'POST fetchEventDetails', 'GET SA_5-XYZ']);
  expect(calls.filter((call) => call.startsWith('POST'))).toHaveLength(2);
});

test('a subscriber without the right to fetch continues with FORBIDDEN at the withheld fields, and without a fetch for each poll', async ({
  layer,
  sandbox,
}) => {
  const told = layer.watch(watched('status summary'), {}, 'limited-1')[Symbol.asyncIterator]();
  const event = (status: string) => ({
    data: { healthEventChanged: { status, summary: null } },
    errors: [{ path: ['healthEventChanged', 'summary'], extensions: { code: 'FORBIDDEN' } }],
  });
  expect((await told.next()).value).toMatchObject(event('ACTIVE'));
  await sandbox.forgetCalls();
  await sleep(300);
  const quiet = await callsOf(sandbox);
  await set(sandbox, { status: 'Resolved' });

  expect((await told.next()).value).toMatchObject(event('RESOLVED'));
  await told.return?.();
  expect(quiet.length).toBeGreaterThan(1);
  expect(new Set(quiet)).toEqual(new Set(['GET SA_5-XYZ']));
});

const subscriptionId = '11111111-2222-4333-8444-555555555555';

plain(
  'with HEALTH_BILLING_OPERATION a billing event of a subscription without texts is fetched by that operation',
  async () => {
    const HEALTH_BILLING_OPERATION = 'fetchBillingCommunicationDetails';
    const bill = { eventType: 'Billing', title: 'Your bill' };
    const { stub, layer } = await startBeforeStub(
      ({ method }) => ({
        body: { name: 'BL', properties: { ...bill, ...(method === 'POST' && { summary: 'Sum' }) } },
      }),
      { HEALTH_BILLING_OPERATION },
    );

    const data = await layer.read(
      'query ($id: String) { healthEvent(trackingId: "BL", subscriptionId: $id) { title summary } }',
      { id: subscriptionId },
    );

    expect(data.healthEvent).toEqual({ title: 'Your bill', summary: 'Sum' });
    const below = `/subscriptions/${subscriptionId}${events}/BL`;
    expect(stub.requests.map(({ method, target }) => `${method} ${target.split('?')[0]}`)).toEqual([
      `GET ${below}`,
      `POST ${below}/${HEALTH_BILLING_OPERATION}`,
    ]);
  },
);

/** A layer before an upstream that answers so, with how it is asked for an event and what was sent for that. */
async function before(answer: (request: StubRequest) => StubAnswer) {
  const { stub, layer } = await startBeforeStub(answer);
  return async (trackingId: string) => {
    const from = stub.requests.length;
    const { data, errors } = await layer.query(
      `{ healthEvent(trackingId: "${trackingId}") { title summary } }`,
    );
    return {
      event: data.healthEvent,
      codes: errors?.map(({ extensions }) => extensions.code) ?? [],
      methods: stub.requests.slice(from).map(({ method }) => method),
    };
  };
}

const inFull = { body: { properties: { title: 'T', summary: 'S', isEventSensitive: true } } };
const ofFull = { event: { title: 'T', summary: 'S' }, codes: [] };

plain.each([404, 501])(
  'an event of an upstream that answers plain reads with %i is fetched, and from the second time on without a plain read',
  async (status) => {
    const ask = await before(({ method }) => (method === 'GET' ? { status } : inFull));

    expect(await ask('A')).toEqual({ ...ofFull, methods: ['GET', 'POST'] });
    expect(await ask('A')).toEqual({ ...ofFull, methods: ['POST'] });
  },
);

test('a caller that may fetch but not read plainly gets the event', async () => {
  const ask = await before(({ method }) => (method === 'GET' ? { status: 403 } : inFull));

  expect(await ask('A')).toEqual({ ...ofFull, methods: ['GET', 'POST'] });
  // It says nothing of the upstream: others may read plainly.
  expect(await ask('A')).toEqual({ ...ofFull, methods: ['GET', 'POST'] });
});

test('an old event that only a fetch finds does not prevent plain reads for others', async () => {
  const state = { mayFetch: true };
  const ask = await before(({ method, target }) => {
    if (method === 'POST') return state.mayFetch ? inFull : { status: 403 };
    return target.includes('/OLD?')
      ? { status: 404, body: { code: 'ResourceNotFound' } }
      : { body: { name: 'A', properties: { title: 'T' } } };
  });
  await ask('OLD');
  state.mayFetch = false;

  const shown = { event: { title: 'T', summary: null }, codes: [] };
  expect(await ask('A')).toEqual({ ...shown, methods: ['POST', 'GET'] });
  expect(await ask('A')).toEqual({ ...shown, methods: ['GET'] });
  expect(await ask('OLD')).toEqual({ event: null, codes: [], methods: ['GET'] });
});
