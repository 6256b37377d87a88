import { expect, test } from 'vitest';
import { createChangeDetector } from '../../../src/changes/change-poller.ts';
import type { Notice } from '../../../src/changes/notifications.ts';

const at = (seconds: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, seconds)).toISOString();
const updated = (id: string, seconds: number): Notice => ({ kind: 'updated', id, at: at(seconds) });
const deleted = (id: string, seconds: number): Notice => ({ kind: 'deleted', id, at: at(seconds) });

/** Records by id, with the second of their last change, and a detector of their changes. */
function setUp(records: Record<string, number>) {
  const readsSince: string[] = [];
  let failure: Error | null = null;
  const clock = { seconds: 1_000 };
  const detector = createChangeDetector({
    now: () => at(clock.seconds),
    readLatest: async () => at(Math.max(...Object.values(records))),
    async readChangedSince(instant) {
      if (failure) throw failure;
      readsSince.push(instant);
      return Object.entries(records)
        .map(([id, seconds]) => ({ id, lastModifiedDateTime: at(seconds) }))
        .filter(({ lastModifiedDateTime }) => lastModifiedDateTime >= instant);
    },
    readRecords: async (ids) => ids.map((id) => (id in records ? { __typename: 'Customer' } : null)),
  });
  const next = async () => (await detector.poll()).map(({ change, id }) => `${change} ${id}`);
  const fail = (error: Error | null) => {
    failure = error;
  };
  return { records, clock, detector, next, readsSince, fail };
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
  const { records, detector, next } = setUp({ a: 100 });
  await next();
  Object.assign(records, { b: 200 });
  expect(await next()).toEqual(['CHANGED b']);
  records.c = 150;
  detector.addNotices([updated('c', 150)]);

  expect(await next()).toEqual(['UPDATED c']);
  detector.addNotices([updated('c', 150), updated('b', 200)]);
  expect(await next()).toEqual([]);
});

test.each([60, 70 * 365 * 86_400])(
  'a record stamped %i s ahead of the clock hides no other',
  async (ahead) => {
    const { records, clock, next, readsSince } = setUp({ a: 100 });
    clock.seconds = 110;
    await next();
    records.ahead = 110 + ahead;
    expect(await next()).toEqual(['CHANGED ahead']);
    expect(await next()).toEqual([]);

    Object.assign(records, { b: 120 });
    clock.seconds = 130;
    expect(await next()).toEqual(['CHANGED b']);
    expect(readsSince.at(-1)).toBe(at(100));
  },
);

test('a record that was stamped ahead before the start is no change, and later changes are', async () => {
  const { records, clock, detector, next } = setUp({ a: 100, ahead: 5_000 });
  clock.seconds = 110;
  expect(await next()).toEqual([]);
  records.b = 111;
  expect(await next()).toEqual(['CHANGED b']);

  delete records.a;
  detector.addNotices([deleted('a', 112)]);
  expect(await next()).toEqual(['DELETED a']);
});

test('a notice without a time tells what a poll finds', async () => {
  const { records, detector, next } = setUp({ a: 100, b: 100 });
  await next();
  Object.assign(records, { a: 101 });
  delete records.b;
  detector.addNotices([
    { kind: 'updated', id: 'a', at: null },
    { kind: 'deleted', id: 'b', at: null },
  ]);

  expect(await next()).toEqual(['UPDATED a', 'DELETED b']);
  expect(await next()).toEqual([]);
});

test('a notice from before the start is ignored, and widens no read', async () => {
  const { detector, next, readsSince } = setUp({ a: 10, b: 100 });
  await next();
  detector.addNotices([updated('a', 10), deleted('gone', 10)]);

  expect(await next()).toEqual([]);
  expect(readsSince).toEqual([at(90), at(90)]);
});

test('a deletion is reported where the record cannot be read any more, once', async () => {
  const { records, detector, next } = setUp({ a: 100, b: 100 });
  await next();
  delete records.b;
  detector.addNotices([deleted('a', 101), deleted('b', 101)]);
  expect(await next()).toEqual(['DELETED b']);

  detector.addNotices([deleted('b', 101)]);
  expect(await next()).toEqual([]);
});

test('notices that arrive while reads fail are reported afterwards', async () => {
  const { records, detector, next, fail } = setUp({ a: 100 });
  await next();
  records.b = 110;
  detector.addNotices([{ kind: 'created', id: 'b', at: at(110) }, updated('b', 110)]);
  fail(new Error('not now'));
  await expect(next()).rejects.toThrow('not now');
  fail(null);

  expect(await next()).toEqual(['CREATED b']);
});

test('of too many notices the earliest time is kept, and the changes since then are found', async () => {
  const { records, detector, next } = setUp({ a: 100 });
  await next();
  Object.assign(records, { b: 101, c: 200 });
  detector.addNotices(Array.from({ length: 10_001 }, (_none, index) => updated(`id-${index}`, 101)));

  expect(await next()).toEqual(['CHANGED b', 'CHANGED c']);
});

test('a change between the two reads of the first poll is one', async () => {
  const latest = at(100);
  const detector = createChangeDetector({
    now: () => at(1_000),
    readLatest: async () => latest,
    // Read after the latest was: `a` has changed and `b` was created meanwhile; `c` is as it was.
    readChangedSince: async () => [
      { id: 'a', lastModifiedDateTime: at(101) },
      { id: 'b', lastModifiedDateTime: at(102) },
      { id: 'c', lastModifiedDateTime: latest },
    ],
    readRecords: async (ids) => ids.map(() => null),
  });

  expect((await detector.poll()).map(({ id }) => id)).toEqual(['a', 'b']);
  expect(await detector.poll()).toEqual([]);
});
