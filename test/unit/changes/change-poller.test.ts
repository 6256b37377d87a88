import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RecordReader } from '../../../src/changes/change-poller.ts';
import { createChangePoller } from '../../../src/changes/change-poller.ts';
import type { ChangeWebhooks, WebhookListener } from '../../../src/changes/webhooks.ts';
import { UpstreamError } from '../../../src/errors.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pollMs = 1_000;
const target = { principal: 'p', companyId: 'c', type: 'CUSTOMER' } as const;

const unavailable = (retryAfterSeconds: number | null, status = 503) =>
  new UpstreamError('UPSTREAM_UNAVAILABLE', 'Unavailable.', {
    upstream: 'business',
    delivery: 'unknown',
    status,
    retryAfterSeconds,
  });

/** A poller of an upstream whose reads fail while the test says so, and of webhooks that the test plays. */
function start({ hasWebhooks = false } = {}) {
  const upstream = { failure: null as Error | null, reads: 0 };
  const reader: RecordReader = {
    types: [],
    companyId: (id) => id ?? 'c',
    nodeId: () => '',
    now: () => '2026-01-02T00:00:00Z',
    latest: async () => '2026-01-01T00:00:00Z',
    async since() {
      upstream.reads += 1;
      if (upstream.failure) throw upstream.failure;
      return [];
    },
    read: async () => [],
  };
  const webhookListeners = new Set<WebhookListener>();
  const webhooks: ChangeWebhooks = {
    listen(_target, listener) {
      webhookListeners.add(listener);
      return () => webhookListeners.delete(listener);
    },
    receive: () => true,
    stop: async () => {},
  };
  const poller = createChangePoller({ pollMs, webhooks: hasWebhooks ? webhooks : null });
  const errors: unknown[] = [];
  const listen = () =>
    poller.listen(target, reader, { onChanges() {}, onError: (error) => errors.push(error) });
  return { upstream, errors, listen, webhookListeners };
}

const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

test('all listeners of a target are served by one poll, which ends with the last of them', async () => {
  const { upstream, listen } = start();
  const [first, second] = [listen(), listen()];
  await settle();
  await settle(pollMs);
  expect(upstream.reads).toBe(2);

  first();
  await settle(pollMs);
  expect(upstream.reads).toBe(3);
  second();
  await settle(pollMs * 10);
  expect([upstream.reads, vi.getTimerCount()]).toEqual([3, 0]);
});

test('a 503 with Retry-After defers the next poll until then, though a notification arrives', async () => {
  const { upstream, errors, listen, webhookListeners } = start({ hasWebhooks: true });
  upstream.failure = unavailable(5);
  const unsubscribe = listen();
  await settle(4_000);
  for (const listener of webhookListeners) listener.onNotices([{ kind: 'many', since: null }]);
  await settle(999);
  expect(upstream.reads).toBe(1);

  upstream.failure = null;
  await settle(1);
  expect([upstream.reads, errors]).toEqual([2, []]);
  unsubscribe();
});

test.each([
  ['none', null, pollMs],
  ['less than the poll interval', 0.1, pollMs],
  ['more than ten minutes', 86_400, 600_000],
])('after a failure with a Retry-After of %s the next poll comes in time', async (_what, seconds, waitMs) => {
  const { upstream, listen } = start();
  upstream.failure = unavailable(seconds);
  const unsubscribe = listen();
  await settle(waitMs - 1);
  expect(upstream.reads).toBe(1);
  await settle(1);
  expect(upstream.reads).toBe(2);
  unsubscribe();
});

test('polls are twenty times rarer while the webhook is active, and come at once when that changes', async () => {
  const { upstream, listen, webhookListeners } = start({ hasWebhooks: true });
  const unsubscribe = listen();
  await settle();
  for (const listener of webhookListeners) listener.onActiveChange(true);
  await settle();
  expect(upstream.reads).toBe(2);
  await settle(pollMs * 20 - 1);
  expect(upstream.reads).toBe(2);
  await settle(1);
  expect(upstream.reads).toBe(3);

  for (const listener of webhookListeners) listener.onActiveChange(false);
  await settle();
  expect(upstream.reads).toBe(4);
  await settle(pollMs);
  expect(upstream.reads).toBe(5);
  unsubscribe();
});

test('a failure that will not pass ends the poll and is told to every listener', async () => {
  const { upstream, errors, listen, webhookListeners } = start({ hasWebhooks: true });
  upstream.failure = new Error('a mistake');
  const [first, second] = [listen(), listen()];
  await settle(pollMs * 50);
  expect(errors).toEqual([upstream.failure, upstream.failure]);
  expect([upstream.reads, webhookListeners.size, vi.getTimerCount()]).toEqual([1, 0, 0]);

  upstream.failure = null;
  const third = listen();
  first();
  second();
  await settle(pollMs);
  expect(upstream.reads).toBe(3);
  third();
});
