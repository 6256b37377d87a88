import { expect, test as plain } from 'vitest';
import { startTestLayer, test } from '../../support/layer.ts';
import { type StubAnswer, type StubRequest, startStub } from '../../support/stub.ts';

const subscriptionId = '11111111-2222-4333-8444-555555555555';

test('an event of a subscription is read in its scope', async ({ layer, sandbox }) => {
  const { data } = await layer.query(
    'query ($id: String) { healthEvent(trackingId: "SI_1-QRT", subscriptionId: $id) { scope name } }',
    {
      id: subscriptionId,
    },
  );

  expect(data.healthEvent).toEqual({ scope: subscriptionId, name: 'SI_1-QRT' });
  expect((await sandbox.calls())[0]?.path).toMatch(`/subscriptions/${subscriptionId}/providers/`);
});

test('the same event requested twice in one operation is read once', async ({ layer, sandbox }) => {
  const { data } = await layer.query(
    '{ a: healthEvent(trackingId: "RC_2-PIR") { title } b: healthEvent(trackingId: "RC_2-PIR") { title } }',
  );

  expect(data.a).toEqual(data.b);
  expect(await sandbox.calls()).toHaveLength(1);
});

test.for(['', '..', 'a/b'])(
  'the tracking id %j is BAD_USER_INPUT and nothing is sent',
  async (trackingId, { layer, sandbox }) => {
    const { errors } = await layer.query(
      'query ($trackingId: String!) { healthEvent(trackingId: $trackingId) { title } }',
      { trackingId },
    );

    expect(errors).toMatchObject([
      { message: expect.stringContaining('trackingId'), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(await sandbox.calls()).toEqual([]);
  },
);

test('a tracking id cannot change the path beyond its own segment', async ({ layer, sandbox }) => {
  await layer.query('query ($trackingId: String!) { healthEvent(trackingId: $trackingId) { title } }', {
    trackingId: 'a?b#c%2F..&d',
  });

  expect((await sandbox.calls())[0]?.path).toBe(
    '/providers/Vendor.Health/events/a%3Fb%23c%252F..%26d?api-version=2025-05-01',
  );
});

/** What a list shows of an upstream that answers so, and what was asked of it. */
async function listFrom(answer: (request: StubRequest) => StubAnswer) {
  const upstream = await startStub(answer);
  const layer = await startTestLayer(upstream.url);
  const { data, errors } = await layer.query('{ healthEvents { nodes { trackingId title } } }');
  await layer.stop();
  upstream.stop();
  return { nodes: data.healthEvents?.nodes, error: errors?.[0], requests: upstream.requests };
}

plain.each([
  ['to another path', () => '/providers/Vendor.Health/metadata?$skipToken=a', 1],
  ['on without an end', (target: string) => `${target}x&$skipToken=a`, 50],
])('a next link that leads %s is UPSTREAM_BAD_RESPONSE', async (_where, linkOf, calls) => {
  const { nodes, error, requests } = await listFrom(({ target }) => ({
    body: { value: [{ name: 'A' }], nextLink: linkOf(target) },
  }));

  expect(nodes).toBeUndefined();
  expect(error?.extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
  expect(requests).toHaveLength(calls);
});

plain.each<[string, StubAnswer]>([
  ['a bare list', { body: [{ name: 'A' }] }],
  ['no list', { body: { value: null } }],
])('a list answered by %s is UPSTREAM_BAD_RESPONSE', async (_what, answer) => {
  const { error } = await listFrom(() => answer);

  expect(error?.extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', upstream: 'health' });
});

plain('rows with a usable tracking id are listed, each once, and no others', async () => {
  const { nodes } = await listFrom(() => ({
    body: {
      value: [
        null,
        'A',
        {},
        { properties: { title: 'Nameless' } },
        { name: 'A', properties: { title: 'First' } },
        { name: 'A', properties: { title: 'Again' } },
        { id: '/providers/Vendor.Health/events/B' },
      ],
      nextLink: null,
    },
  }));

  expect(nodes).toEqual([
    { trackingId: 'A', title: 'First' },
    { trackingId: 'B', title: null },
  ]);
});
