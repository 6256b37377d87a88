import { expect } from 'vitest';
import {
  change,
  create,
  remove,
  shown,
  startWatching,
  steer,
  subscribed,
  webhookTest,
} from '../../support/webhooks.ts';

const test = webhookTest({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics', POLL_RECORDS_MS: '60000' });

test('webhooks in the dialect of the Dynamics service are understood: single changes, deletions and collections', async ({
  layer,
  sandbox,
}) => {
  const watcher = await startWatching(layer, sandbox);
  await subscribed(sandbox);

  const id = await create(sandbox, 'customers', { displayName: 'New' });
  expect(await watcher.during(400, 1)).toEqual([`CREATED ${id}`]);
  await change(sandbox, 'customers', id, { city: 'Oslo' });
  expect(await watcher.during(400, 1)).toEqual([`UPDATED ${id}`]);
  await remove(sandbox, 'customers', id);
  expect(await watcher.during(400, 1)).toEqual([`DELETED ${id}`]);

  await steer(sandbox, { collectionLimit: 1, delayMs: 60_000 });
  const [one, two] = [
    await create(sandbox, 'customers', { displayName: 'One' }),
    await create(sandbox, 'customers', { displayName: 'Two' }),
  ];
  await steer(sandbox, { deliver: 'now' });
  expect((await watcher.during(400, 2)).sort()).toEqual([`CHANGED ${one}`, `CHANGED ${two}`].sort());
  await watcher.leave();
});

test('a subscription in the dialect of the Dynamics service is renewed', async ({ layer, sandbox }) => {
  await steer(sandbox, { lifetimeMs: 2_000 });
  const watcher = await startWatching(layer, sandbox);
  const [{ subscriptionId, etag }] = await subscribed(sandbox);
  await new Promise((resolve) => setTimeout(resolve, 2_500));

  const { subscriptions } = await shown(sandbox);
  expect(subscriptions).toMatchObject([{ subscriptionId }]);
  expect(subscriptions[0].etag).not.toBe(etag);
  await watcher.leave();
});
