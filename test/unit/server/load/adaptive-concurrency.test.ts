import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDeadline } from '../../../../src/runtime/deadline.ts';
import { createAdaptiveConcurrency } from '../../../../src/server/load/adaptive-concurrency.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A limiter with a fake utilization, and queries that record when they start. */
function paced() {
  const looks: (number | null)[] = [];
  const pacing = createAdaptiveConcurrency(() => looks.shift() ?? null);
  const begun: string[] = [];
  return {
    begun,
    lookAt: (used: number) => void looks.push(used),
    async query(name: string, { rows = 200, deadline = startDeadline(10_000), caller = 'one' } = {}) {
      const leave = await pacing.acquire(rows, deadline, caller);
      begun.push(name);
      return () => {
        deadline.end();
        leave();
      };
    },
  };
}

const many = Array.from({ length: 20 }, (_, at) => `before ${at}`);

test('all queries start at once while the event loop is not busy', async () => {
  const { query, begun, lookAt } = paced();
  lookAt(0.5);

  await Promise.all(many.map((name) => query(name)));

  expect(begun).toEqual(many);
});

test('while it is busy, queries wait until others have ended, first come first served', async () => {
  const { query, begun, lookAt } = paced();
  const ends = await Promise.all(many.map((name) => query(name)));
  lookAt(1);
  const waiting = [query('first'), query('second')];
  for (const end of ends.slice(0, 6)) end();
  await vi.advanceTimersByTimeAsync(0);
  // The limit has dropped from 4,000 to 2,800 rows.
  expect(begun).toEqual(many);

  ends[6]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual([...many, 'first']);
  ends[7]?.();
  await Promise.all(waiting);

  expect(begun).toEqual([...many, 'first', 'second']);
});

test('waiting queries start without any ending, once the event loop is idle again', async () => {
  const { query, begun, lookAt } = paced();
  await Promise.all(many.map((name) => query(name)));
  lookAt(1);
  const waiting = query('late');
  await vi.advanceTimersByTimeAsync(190);
  expect(begun).toEqual(many);

  lookAt(0.1);
  await vi.advanceTimersByTimeAsync(10);
  await waiting;

  expect(begun).toEqual([...many, 'late']);
});

test('a query starts when its deadline expires, so that it can report that', async () => {
  const { query, begun, lookAt } = paced();
  await Promise.all(many.map((name) => query(name)));
  lookAt(1);
  const deadline = startDeadline(10);
  void query('left', { deadline });
  void query('staying');

  await vi.advanceTimersByTimeAsync(10);
  void query('come too late', { deadline });
  await vi.advanceTimersByTimeAsync(0);

  expect(begun).toEqual([...many, 'left', 'come too late']);
});

test('a few of the largest queries run at once, and small ones do not overtake them', async () => {
  const { query, begun, lookAt } = paced();
  lookAt(1);
  await query('before', { rows: 50 });
  const largest = ['one', 'two', 'three', 'four'].map((name) => query(name, { rows: 50_000 }));
  void query('small', { rows: 1 });
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['before', 'one', 'two', 'three']);

  (await largest[0])?.();
  await vi.advanceTimersByTimeAsync(0);

  expect(begun).toEqual(['before', 'one', 'two', 'three', 'four', 'small']);
});

test('waiting callers take turns, however many queries one of them has sent', async () => {
  const { query, begun, lookAt } = paced();
  const ends = await Promise.all(many.map((name) => query(name)));
  lookAt(1);
  const waiting = [1, 2, 3].map((at) => query(`eager ${at}`, { caller: 'eager' }));
  waiting.push(query('light 1', { caller: 'light' }), query('light 2', { caller: 'light' }));
  for (const end of ends) end();
  await vi.advanceTimersByTimeAsync(0);
  await Promise.all(waiting);

  expect(begun.slice(many.length)).toEqual(['eager 1', 'light 1', 'eager 2', 'light 2', 'eager 3']);
});

test('a query that reads no rows never waits', async () => {
  const { query, begun, lookAt } = paced();
  await Promise.all(many.map((name) => query(name)));
  lookAt(1);
  void query('one that reads');

  await query('one that reads nothing', { rows: 0, caller: 'other' });

  expect(begun).toEqual([...many, 'one that reads nothing']);
});
