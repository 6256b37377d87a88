import { expect, test } from 'vitest';
import { createChangePoll, mergeChanges, type RecordReader } from '../../../src/changes/change-poll.ts';
import type { Notice } from '../../../src/changes/notifications.ts';
import type { ChangeWebhooks, WebhookListener } from '../../../src/changes/webhooks.ts';

const at = (seconds: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, seconds)).toISOString();
const updated = (id: string, seconds: number): Notice => ({ kind: 'updated', id, at: at(seconds) });
const deleted = (id: string, seconds: number): Notice => ({ kind: 'deleted', id, at: at(seconds) });

const pollMs = 1_000;
const target = { companyId: 'c', type: 'CUSTOMER' } as const;

/** A poll with these reads, and with webhooks that the test plays. */
function startPoll(reads: Pick<RecordReader, 'now' | 'latest' | 'since' | 'read'>) {
  const reader: RecordReader = { companyId: (id) => id ?? 'c', types: [], nodeId: () => '', ...reads };
  const listeners = new Set<WebhookListener>();
  const webhooks: ChangeWebhooks = {
    listen(_target, listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    receive: () => true,
    stop: async () => {},
  };
  let triggers = 0;
  const poll = createChangePoll(target, reader, { pollMs, webhooks }, () => {
    triggers += 1;
  });
  return {
    poll,
    listeners,
    triggers: () => triggers,
    async next() {
      const { value } = await poll.read(null);
      return [...(value?.values() ?? [])].map(({ change, id }) => `${change} ${id}`);
    },
    addNotices(notices: readonly Notice[]) {
      for (const listener of listeners) listener.onNotices(notices);
    },
  };
}

/** Records by id, with the second of their last change, and a poll for their changes. */
function setUp(records: Record<string, number>) {
  const readsSince: string[] = [];
  let failure: Error | null = null;
  const clock = { seconds: 1_000 };
  const started = startPoll({
    now: () => at(clock.seconds),
    latest: async () => at(Math.max(...Object.values(records))),
    async since(_type, _companyId, instant) {
      if (failure) throw failure;
      readsSince.push(instant);
      return Object.entries(records)
        .map(([id, seconds]) => ({ id, lastModifiedDateTime: at(seconds) }))
        .filter(({ lastModifiedDateTime }) => lastModifiedDateTime >= instant);
    },
    read: async (_type, _companyId, ids) =>
      ids.map((id) => (id in records ? { __typename: 'Customer' } : null)),
  });
  const fail = (error: Error | null) => {
    failure = error;
  };
  return { ...started, records, clock, readsSince, fail };
}

test('records that exist at the start are no change, one that appears late is', async () => {
  const { records, next } = setUp({ a: 100 });

  expect(await next()).toEqual([]);
  records.b = 95;
  expect(await next()).toEqual(['CHANGED b']);
  expect(await next()).toEqual([]);
  records.c = 85;
  expect(await next()).toEqual([]);
});

test('a notice reports a record that is older than what polls cover, once', async () => {
  const { records, addNotices, next } = setUp({ a: 100 });
  await next();
  Object.assign(records, { b: 200 });
  expect(await next()).toEqual(['CHANGED b']);
  records.c = 150;
  addNotices([updated('c', 150)]);

  expect(await next()).toEqual(['UPDATED c']);
  addNotices([updated('c', 150), updated('b', 200)]);
  expect(await next()).toEqual([]);
});

test('a record stamped ahead of the clock hides no other', async () => {
  const { records, clock, next, readsSince } = setUp({ a: 100 });
  clock.seconds = 110;
  await next();
  records.ahead = 5_000;
  expect(await next()).toEqual(['CHANGED ahead']);
  expect(await next()).toEqual([]);

  Object.assign(records, { b: 120 });
  clock.seconds = 130;
  expect(await next()).toEqual(['CHANGED b']);
  expect(readsSince.at(-1)).toBe(at(100));
});

test('a notice without a time tells what a poll finds', async () => {
  const { records, addNotices, next } = setUp({ a: 100, b: 100 });
  await next();
  Object.assign(records, { a: 101 });
  delete records.b;
  addNotices([
    { kind: 'updated', id: 'a', at: null },
    { kind: 'deleted', id: 'b', at: null },
  ]);

  expect(await next()).toEqual(['UPDATED a', 'DELETED b']);
  expect(await next()).toEqual([]);
});

test('a deletion is reported where the record cannot be read any more, once', async () => {
  const { records, addNotices, next } = setUp({ a: 100, b: 100 });
  await next();
  delete records.b;
  addNotices([deleted('a', 101), deleted('b', 101)]);
  expect(await next()).toEqual(['DELETED b']);

  addNotices([deleted('b', 101)]);
  expect(await next()).toEqual([]);
});

test('notices that arrive while reads fail are reported afterwards', async () => {
  const { records, addNotices, next, fail } = setUp({ a: 100 });
  await next();
  records.b = 110;
  addNotices([{ kind: 'created', id: 'b', at: at(110) }, updated('b', 110)]);
  fail(new Error('not now'));
  await expect(next()).rejects.toThrow('not now');
  fail(null);

  expect(await next()).toEqual(['CREATED b']);
});

test('a change between the two reads of the first poll is one', async () => {
  const latest = at(100);
  const { next } = startPoll({
    now: () => at(1_000),
    latest: async () => latest,
    // Read after the latest was: `a` has changed and `b` was created meanwhile; `c` is as it was.
    since: async () => [
      { id: 'a', lastModifiedDateTime: at(101) },
      { id: 'b', lastModifiedDateTime: at(102) },
      { id: 'c', lastModifiedDateTime: latest },
    ],
    read: async (_type, _companyId, ids) => ids.map(() => null),
  });

  expect(await next()).toEqual(['CHANGED a', 'CHANGED b']);
  expect(await next()).toEqual([]);
});

test('reads are twenty times rarer while the webhook is active; one comes at once when that changes, and for notices', async () => {
  const { poll, listeners, triggers, addNotices } = setUp({ a: 100 });
  expect(await poll.read(null)).toEqual({ value: null, waitMs: pollMs });
  for (const listener of listeners) listener.onActiveChange(true);
  expect([triggers(), await poll.read(null)]).toEqual([1, { value: null, waitMs: pollMs * 20 }]);

  addNotices([updated('a', 101)]);
  expect(triggers()).toBe(2);
  for (const listener of listeners) listener.onActiveChange(false);
  expect([triggers(), await poll.read(null)]).toEqual([3, { value: null, waitMs: pollMs }]);

  poll.onStop?.(true);
  expect(listeners.size).toBe(0);
});

test('the later change of a record counts, but one that was created stays so', () => {
  const changes = (list: string) =>
    new Map(
      list.split(' ').map((text) => {
        const [id = '', change] = text.split(':') as [string, 'CREATED' | 'DELETED' | 'CHANGED'];
        return [id, { id, change, lastModifiedDateTime: null }];
      }),
    );

  const merged = mergeChanges(
    changes('a:CREATED b:CREATED c:CHANGED'),
    changes('a:CHANGED b:DELETED d:CHANGED'),
  );
  expect(merged).toEqual(changes('a:CREATED b:DELETED c:CHANGED d:CHANGED'));
});

test('a notice from before the start is ignored, and widens no read', async () => {
  const { addNotices, next, readsSince } = setUp({ a: 10, b: 100 });
  await next();
  addNotices([updated('a', 10), deleted('gone', 10)]);

  expect(await next()).toEqual([]);
  expect(readsSince).toEqual([at(90), at(90)]);
});
