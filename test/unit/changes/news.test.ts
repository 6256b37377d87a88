import { expect, test } from 'vitest';
import { createNews } from '../../../src/changes/news.ts';
import type { Notice } from '../../../src/changes/notifications.ts';

const at = (seconds: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, seconds)).toISOString();
const updated = (id: string, seconds: number): Notice => ({ kind: 'updated', id, at: at(seconds) });
const deleted = (id: string, seconds: number): Notice => ({ kind: 'deleted', id, at: at(seconds) });

/** Records by id, with the second of their last change, and the news of them. */
function setUp(records: Record<string, number>) {
  const asked: string[] = [];
  let failure: Error | null = null;
  const news = createNews({
    latest: async () => at(Math.max(...Object.values(records))),
    async since(instant) {
      if (failure) throw failure;
      asked.push(instant);
      return Object.entries(records)
        .map(([id, seconds]) => ({ id, lastModifiedDateTime: at(seconds) }))
        .filter(({ lastModifiedDateTime }) => lastModifiedDateTime >= instant);
    },
    read: async (ids) => ids.map((id) => (id in records ? {} : null)),
  });
  const next = async () => (await news.next()).map(({ change, id }) => `${change} ${id}`);
  const fail = (error: Error | null) => {
    failure = error;
  };
  return { records, news, next, asked, fail };
}

test('what stands at the beginning is no news, and what comes to be seen late is', async () => {
  const { records, next } = setUp({ a: 100 });

  expect(await next()).toEqual([]);
  records.b = 95;
  expect(await next()).toEqual(['CHANGED b']);
  expect(await next()).toEqual([]);
  records.c = 85;
  expect(await next()).toEqual([]);
});

test('a notice of a record that polls would not look at any more makes it news, once', async () => {
  const { records, news, next } = setUp({ a: 100 });
  await next();
  Object.assign(records, { b: 200 });
  expect(await next()).toEqual(['CHANGED b']);
  records.c = 150;
  news.notice([updated('c', 150)]);

  expect(await next()).toEqual(['UPDATED c']);
  news.notice([updated('c', 150), updated('b', 200)]);
  expect(await next()).toEqual([]);
});

test('a notice from before the beginning is of no interest, and makes nobody look far back', async () => {
  const { news, next, asked } = setUp({ a: 10, b: 100 });
  await next();
  news.notice([updated('a', 10), deleted('gone', 10)]);

  expect(await next()).toEqual([]);
  expect(asked).toEqual([at(90), at(90)]);
});

test('what is said to be deleted is gone only where it is not found, and is told once', async () => {
  const { records, news, next } = setUp({ a: 100, b: 100 });
  await next();
  delete records.b;
  news.notice([deleted('a', 101), deleted('b', 101)]);
  expect(await next()).toEqual(['DELETED b']);

  news.notice([deleted('b', 101)]);
  expect(await next()).toEqual([]);
});

test('what was told while nothing could be read is told afterwards', async () => {
  const { records, news, next, fail } = setUp({ a: 100 });
  await next();
  records.b = 110;
  news.notice([{ kind: 'created', id: 'b', at: at(110) }, updated('b', 110)]);
  fail(new Error('not now'));
  await expect(next()).rejects.toThrow('not now');
  fail(null);

  expect(await next()).toEqual(['CREATED b']);
});

test('of very many notices the time is kept, and what they were of is found', async () => {
  const { records, news, next } = setUp({ a: 100 });
  await next();
  Object.assign(records, { b: 101, c: 200 });
  news.notice(Array.from({ length: 10_001 }, (_none, index) => updated(`id-${index}`, 101)));

  expect(await next()).toEqual(['CHANGED b', 'CHANGED c']);
});
