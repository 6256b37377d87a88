import { expect, test } from 'vitest';
import { dialectOf } from '../../../sandbox/business/dialect.ts';
import { createPageTokens } from '../../../sandbox/business/query/collection.ts';
import { handleControlRequest } from '../../../sandbox/control/control.ts';
import { createChaos, createFaults } from '../../../sandbox/faults/faults.ts';
import { createEventStore } from '../../../sandbox/health/events.ts';
import type { ApiRequest } from '../../../sandbox/http.ts';
import { createOperations } from '../../../sandbox/instances/operations.ts';
import { createJournal } from '../../../sandbox/journal.ts';
import { createSeededStore } from '../../../sandbox/seed.ts';
import { createTokenService } from '../../../sandbox/tokens/tokens.ts';
import { createWebhooks } from '../../../sandbox/webhooks/webhooks.ts';

test('the journal keeps the last 10,000 requests', () => {
  const journal = createJournal();
  for (let n = 0; n < 10_005; n += 1) journal.addEntry('GET', '/', {});

  expect(journal.list()).toHaveLength(10_000);
  expect(journal.list()[0]?.id).toBe(6);
});

test('page tokens are remembered up to 10,000, the oldest giving way', () => {
  const pages = createPageTokens();
  const tokens = Array.from({ length: 10_001 }, (_, n) => pages.store('/items', '', { id: String(n) }));

  expect(pages.find(tokens[0] ?? '')).toBeUndefined();
  expect(pages.find(tokens[1] ?? '')?.after).toEqual({ id: '1' });
});

test.each([
  ['127.0.0.1', 200],
  ['::1', 200],
  ['::ffff:127.0.0.1', 200],
  ['10.0.0.7', 403],
  [undefined, 403],
])('a call from %s to /sandbox is answered %i', (remoteAddress, status) => {
  const call: ApiRequest = {
    method: 'GET',
    path: '/sandbox',
    query: '',
    headers: {},
    body: '',
    bytes: new Uint8Array(),
    origin: '',
    requestId: '',
  };
  const controls = {
    journal: createJournal(),
    faults: createFaults(),
    store: createSeededStore(),
    operations: createOperations(0, false),
    events: createEventStore(0, false),
    setLagging: () => undefined,
    chaos: createChaos(),
    setClientIds: () => undefined,
    reset: () => undefined,
    tokens: createTokenService(() => ''),
    webhooks: createWebhooks({}, dialectOf('document')),
  };

  expect(handleControlRequest(call, remoteAddress, controls).status).toBe(status);
});
