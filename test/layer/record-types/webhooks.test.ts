import { expect } from 'vitest';
import { recordFiles } from '../../support/cases/record-kinds.ts';
import { create, pathOf, startWatching, subscribed, webhookTest } from '../../support/webhooks.ts';

// Any poll would come after the test.
const test = webhookTest({}, { POLL_RECORDS_MS: '60000', RECORD_TYPES: recordFiles });

test('types of one entity set share its webhook subscription, and each is told of every change', async ({
  layer,
  sandbox,
}) => {
  const watcher = await startWatching(layer, sandbox, ['CUSTOMER', 'BUYER']);
  const subscriptions = await subscribed(sandbox);

  const id = await create(sandbox, 'customers', { displayName: 'New' });
  const events = [await watcher.next(), await watcher.next()];
  await watcher.leave();

  expect(subscriptions.map(({ resource }) => resource)).toEqual([pathOf('customers')]);
  expect(events.map(({ data }) => data.recordChanged)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'CUSTOMER', change: 'CREATED', id }),
      expect.objectContaining({ type: 'BUYER', change: 'CREATED', id }),
    ]),
  );
});
