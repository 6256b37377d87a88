import { expect } from 'vitest';
import { test } from '../../support/layer.ts';

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
