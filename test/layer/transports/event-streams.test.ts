import { createClient } from 'graphql-sse';
import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed.ts';
import { testToken, testWith } from '../../support/layer.ts';
import { startBeforeSilence } from '../../support/upstreams/silent-upstream.ts';

const test = testWith({}, { POLL_HEALTH_MS: '50' });

const query = '{ companies { totalCount } }';
const watching = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }';
const changing = `mutation { updateCustomer(input: {
  id: "${sandboxExamples.customerId}", ifMatch: "*", patch: { city: "Oslo" }
}) { customer { city } userErrors { code } } }`;

const json = 'application/json; charset=utf-8';
const modern = 'application/graphql-response+json; charset=utf-8';
const events = 'text/event-stream; charset=utf-8';
// What urql sends with what is no subscription.
const urqlQuery =
  'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed';

type Headers = Readonly<Record<string, string>>;
const authorization = `Bearer ${testToken}`;

const post = (url: string, accept: string, text: string, headers: Headers = {}) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization, accept, ...headers },
    body: JSON.stringify({ query: text }),
  });

/** The text of a response to its end, or to its first event. */
async function firstOf(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('event: next')) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) return text;
    text += value;
  }
  await reader?.cancel();
  return text;
}

test('a client of graphql-sse has one result of a mutation, which is executed once', async ({
  layer,
  sandbox,
}) => {
  const client = createClient({ url: `${layer.url}/graphql`, headers: { authorization }, retryAttempts: 0 });
  await sandbox.forgetCalls();

  const told: unknown[] = [];
  for await (const result of client.iterate({ query: changing })) told.push(result);

  expect(told).toEqual([{ data: { updateCustomer: { customer: { city: 'Oslo' }, userErrors: [] } } }]);
  expect((await sandbox.calls()).filter(({ method }) => method === 'PATCH')).toHaveLength(1);
});

test.for([
  ['text/event-stream', events, events],
  ['application/json, text/html;x="y, text/event-stream"', json, json],
  [urqlQuery, modern, events],
  ['text/event-stream, application/json', events, events],
  ['application/json;q=0.6, application/graphql-response+json;q=0.5, text/event-stream;q=0', json, json],
  ['*/*', json, json],
] as const)(
  'with Accept %j a query is answered as %s, a subscription as %s',
  async ([accept, ofQuery, ofSubscription], { layer }) => {
    const [queried, subscribed] = [
      await post(layer.url, accept, query),
      await post(layer.url, accept, watching),
    ];

    expect([queried.status, queried.headers.get('content-type')]).toEqual([200, ofQuery]);
    for (const { headers } of [queried, subscribed])
      expect(headers.get('x-accel-buffering')).toBe(headers.get('content-type') === events ? 'no' : null);
    expect(await firstOf(queried)).toContain('{"data":{"companies":{"totalCount":2}}}');
    expect([subscribed.status, subscribed.headers.get('content-type')]).toEqual([
      ofSubscription === events ? 200 : 400,
      ofSubscription,
    ]);
    const text = await firstOf(subscribed);
    if (ofSubscription === events) expect(text).toContain('{"data":{"healthEventChanged":{"title":');
    else expect(JSON.parse(text)).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  },
);

test('with an Accept that matches no media type a request is rejected with 406, and not executed', async ({
  layer,
  sandbox,
}) => {
  await sandbox.forgetCalls();
  for (const accept of ['text/html', 'application/json;q=0']) {
    const response = await post(layer.url, accept, changing);

    expect([response.status, response.headers.get('content-type')]).toEqual([406, json]);
    expect(await response.text()).toContain('application/graphql-response+json or application/json');
  }
  expect(await sandbox.calls()).toEqual([]);
});

test('a query for events has its time limit', async () => {
  const { layer } = await startBeforeSilence();
  const late = await post(layer.url, 'text/event-stream', query, { 'x-request-timeout': '100' });
  expect(await late.text()).toContain('"code":"UPSTREAM_TIMEOUT"');
});

test.for([{ MAX_REQUESTS: '1' }, { MAX_SOCKETS_PER_CALLER: '1' }])(
  'a query for events holds a slot and counts as an open connection until it is answered (%j)',
  async (settings) => {
    const { layer, upstream } = await startBeforeSilence(settings);
    const running = post(layer.url, 'text/event-stream', query);
    await expect.poll(() => upstream.open).toBe(1);
    const status = async () => (await post(layer.url, 'text/event-stream', '{ __typename }')).status;

    expect(await status()).toBe(503);

    upstream.answer();
    await (await running).text();
    await expect.poll(status).toBe(200);
  },
);
