import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBreaker } from '../../../src/upstream/breaker.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.advanceTimersByTime(98_765);
});
afterEach(() => void vi.useRealTimers());

const verdicts: Readonly<Record<string, boolean | null>> = {
  down: false,
  'not found': true,
  'cut short': null,
};

/** A breaker, and calls of callers that end as is said; `made` counts those that reach the upstream. */
function guarded() {
  const changes: boolean[] = [];
  const seen = { made: 0, changes };
  const breaker = createBreaker({
    upstream: 'business',
    isWell: (error) => verdicts[(error as Error).message] ?? null,
    onChange: (isOpen) => void changes.push(isOpen),
  });
  const begin = (pace = 'ann') => {
    let finish = (_how: string) => {};
    const told = breaker
      .run(
        pace,
        () =>
          new Promise<string>((resolve, reject) => {
            seen.made += 1;
            finish = (how) => (how === 'well' ? resolve(how) : reject(new Error(how)));
          }),
      )
      .catch((error) => error.code ?? error.message);
    return { told, finish: (how: string) => finish(how) };
  };
  const call = (how: string, pace?: string) => {
    const { told, finish } = begin(pace);
    finish(how);
    return told;
  };
  const calls = async (count: number, how: string, pace?: string) => {
    const told = new Set<string>();
    for (let made = 0; made < count; made++) told.add(await call(how, pace));
    return [...told];
  };
  return { seen, begin, call, calls, look: breaker.look };
}

const alone = 'UPSTREAM_UNAVAILABLE';

test('an upstream that fails twenty times within ten seconds is left alone for ten', async () => {
  const { seen, call, calls } = guarded();
  await calls(30, 'down');
  expect(seen).toEqual({ made: 20, changes: [true] });

  vi.advanceTimersByTime(9_999);
  expect(await call('well')).toBe(alone);
  expect(seen.made).toBe(20);
});

test('then one call sees whether it is back: all go again, or none for as long', async () => {
  const { seen, call, calls } = guarded();
  await calls(20, 'down');
  vi.advanceTimersByTime(10_000);
  expect([await call('down'), await call('well'), await call('well')]).toEqual(['down', alone, alone]);

  vi.advanceTimersByTime(10_000);
  expect(await calls(30, 'well')).toEqual(['well']);
  expect(seen.changes).toEqual([true, false]);
});

test('whoever comes while that one call is under way does not wait for it, and another goes when it takes long', async () => {
  const { begin, call, calls } = guarded();
  await calls(20, 'down');
  vi.advanceTimersByTime(10_000);
  const slow = begin();
  expect(await call('well')).toBe(alone);

  vi.advanceTimersByTime(10_000);
  expect(await call('well')).toBe('well');
  slow.finish('down');
  expect(await slow.told).toBe('down');
  expect(await call('well')).toBe('well');
});

test('a call that was cut short decides nothing, and the next one sees', async () => {
  const { seen, call, calls } = guarded();
  await calls(20, 'down');
  vi.advanceTimersByTime(10_000);
  expect([await call('cut short'), await call('down'), await call('well')]).toEqual([
    'cut short',
    'down',
    alone,
  ]);
  expect(seen.changes).toEqual([true]);
});

test('any answer shows that it is back, and what failed before is forgotten', async () => {
  const { seen, calls } = guarded();
  await calls(20, 'down');
  vi.advanceTimersByTime(10_000);
  await calls(1, 'not found');
  await calls(19, 'down');

  expect(seen.changes).toEqual([true, false]);
});

test('as long as every other call is answered, whatever is answered, nothing is stopped', async () => {
  const { seen, calls } = guarded();
  for (let rounds = 0; rounds < 50; rounds++) {
    await calls(3, 'not found');
    await calls(2, 'down');
    await calls(50, 'cut short');
  }
  expect(seen.changes).toEqual([]);
});

test('one caller who is failed while another is served stops nothing; two do', async () => {
  const { seen, calls } = guarded();
  await calls(5, 'well', 'ben');
  await calls(100, 'down', 'ann');
  expect(seen.changes).toEqual([]);

  await calls(1, 'down', 'cid');
  expect(seen.changes).toEqual([true]);
});

test('nineteen failures stop nothing, and those of more than ten seconds ago do not count', async () => {
  const { seen, calls } = guarded();
  await calls(19, 'down');
  vi.advanceTimersByTime(11_000);
  await calls(19, 'down');

  expect(seen.changes).toEqual([]);
});

test('what was begun before the last change says nothing of how it is since', async () => {
  const { seen, begin, calls } = guarded();
  const early = Array.from({ length: 40 }, () => begin());
  await calls(20, 'down');
  vi.advanceTimersByTime(10_000);
  await calls(1, 'well');
  for (const { finish } of early) finish('down');
  await Promise.all(early.map(({ told }) => told));

  expect(seen.changes).toEqual([true, false]);
});

test('it tells whether calls are made, for how long not, and that the next one decides', async () => {
  const { look, begin, calls } = guarded();
  expect(look()).toEqual({ state: 'CLOSED', openMs: null });

  await calls(20, 'down');
  vi.advanceTimersByTime(4_000);
  expect(look()).toEqual({ state: 'OPEN', openMs: 6_000 });

  vi.advanceTimersByTime(6_000);
  expect(look()).toEqual({ state: 'HALF_OPEN', openMs: null });
  const { told, finish } = begin();
  expect(look()).toEqual({ state: 'HALF_OPEN', openMs: null });
  finish('well');
  await told;
  expect(look()).toEqual({ state: 'CLOSED', openMs: null });
});
