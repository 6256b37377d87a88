import { expect, test as plain } from 'vitest';
import { startBeforeStub, test } from '../../support/layer.ts';
import type { StubAnswer } from '../../support/stub.ts';

const subscriptionId = '11111111-2222-4333-8444-555555555555';

test('an event of a subscription is read in its scope, once for two places of one operation', async ({
  layer,
  sandbox,
}) => {
  const event = 'healthEvent(trackingId: "SI_1-QRT", subscriptionId: $id) { scope name }';
  const data = await layer.read(`query ($id: String) { a: ${event} b: ${event} }`, { id: subscriptionId });

  expect(data.a).toEqual({ scope: subscriptionId, name: 'SI_1-QRT' });
  expect(data.b).toEqual(data.a);
  expect((await sandbox.calls()).map(({ path }) => path)).toEqual([
    expect.stringContaining(`/subscriptions/${subscriptionId}/providers/`),
  ]);
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

/** What a list shows if the upstream gives this answer. */
async function listFrom(answer: StubAnswer) {
  const { layer } = await startBeforeStub(() => answer);
  const { data, errors } = await layer.query('{ healthEvents { nodes { trackingId title } } }');
  return { nodes: data.healthEvents?.nodes, error: errors?.[0] };
}

plain.each<[string, StubAnswer]>([
  ['a bare list', { body: [{ name: 'A' }] }],
  ['no list', { body: { value: null } }],
])('a list answered by %s is UPSTREAM_BAD_RESPONSE', async (_what, answer) => {
  const { error } = await listFrom(answer);

  expect(error?.extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', upstream: 'health' });
});

plain('rows with a usable tracking id are listed, each once, and no others', async () => {
  const { nodes } = await listFrom({
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
  });

  expect(nodes).toEqual([
    { trackingId: 'A', title: 'First' },
    { trackingId: 'B', title: null },
  ]);
});
