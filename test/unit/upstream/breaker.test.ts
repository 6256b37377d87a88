import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { UpstreamError } from '../../../src/errors.ts';
import { createBreaker } from '../../../src/upstream/breaker.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.advanceTimersByTime(98_765);
});
afterEach(() => void vi.useRealTimers());

const verdicts: Readonly<Record<string, boolean | null>> = {
  well: true,
  down: false,
  'not found': true,
  'cut short': null,
};

/** A breaker, and calls of callers that end as is said; `made` counts those that reach the upstream. */
function guarded() {
  const changes: boolean[] = [];
  const seen = { made: 0, changes };
  const breaker = createBreaker({ upstream: 'business', onChange: (isOpen) => void changes.push(isOpen) });
  const begin = (pace = 'ann') => {
    const end = breaker.begin(pace);
    seen.made += 1;
    return (how: string) => end(verdicts[how] as boolean | null);
  };
  const call = (how: string, pace?: string) => {
    try {
      begin(pace)(how);
      return how;
    } catch (error) {
      return (error as UpstreamError).code;
    }
  };
  const calls = (count: number, how: string, pace?: string) => {
    const told = new Set<string>();
    for (let made = 0; made < count; made++) told.add(call(how, pace));
    return [...told];
  };
  return { seen, begin, call, calls, look: breaker.look };
}

const alone = 'UPSTREAM_UNAVAILABLE';

test('an upstream that fails twenty times within ten seconds is left alone for ten', () => {
  const { seen, call, calls } = guarded();
  calls(30, 'down');
  expect(seen).toEqual({ made: 20, changes: [true] });

  vi.advanceTimersByTime(9_999);
  expect(call('well')).toBe(alone);
  expect(seen.made).toBe(20);
});

test('then one call sees whether it is back: all go again, or none for as long', () => {
  const { seen, call, calls } = guarded();
  calls(20, 'down');
  vi.advanceTimersByTime(10_000);
  expect([call('down'), call('well'), call('well')]).toEqual(['down', alone, alone]);

  vi.advanceTimersByTime(10_000);
  expect(calls(30, 'well')).toEqual(['well']);
  expect(seen.changes).toEqual([true, false]);
});

test('whoever comes while that one call is under way does not wait for it, and another goes when it takes long', () => {
  const { begin, call, calls } = guarded();
  calls(20, 'down');
  vi.advanceTimersByTime(10_000);
  const slow = begin();
  expect(call('well')).toBe(alone);

  vi.advanceTimersByTime(10_000);
  expect(call('well')).toBe('well');
  slow('down');
  expect(call('well')).toBe('well');
});

test('a call that was cut short decides nothing, and the next one sees', () => {
  const { seen, call, calls } = guarded();
  calls(20, 'down');
  vi.advanceTimersByTime(10_000);
  expect([call('cut short'), call('down'), call('well')]).toEqual(['cut short', 'down', alone]);
  expect(seen.changes).toEqual([true]);
});

test('any answer shows that it is back, and what failed before is forgotten', () => {
  const { seen, calls } = guarded();
  calls(20, 'down');
  vi.advanceTimersByTime(10_000);
  calls(1, 'not found');
  calls(19, 'down');

  expect(seen.changes).toEqual([true, false]);
});

test('as long as every other call is answered, whatever is answered, nothing is stopped', () => {
  const { seen, calls } = guarded();
  for (let rounds = 0; rounds < 50; rounds++) {
    calls(3, 'not found');
    calls(2, 'down');
    calls(50, 'cut short');
  }
  expect(seen.changes).toEqual([]);
});

test('one caller who is failed while another is served stops nothing; two do', () => {
  const { seen, calls } = guarded();
  calls(5, 'well', 'ben');
  calls(100, 'down', 'ann');
  expect(seen.changes).toEqual([]);

  calls(1, 'down', 'cid');
  expect(seen.changes).toEqual([true]);
});

test('nineteen failures stop nothing, and those of more than ten seconds ago do not count', () => {
  const { seen, calls } = guarded();
  calls(19, 'down');
  vi.advanceTimersByTime(11_000);
  calls(19, 'down');

  expect(seen.changes).toEqual([]);
});

test('what was begun before the last change says nothing of how it is since', () => {
  const { seen, begin, calls } = guarded();
  const early = Array.from({ length: 40 }, () => begin());
  calls(20, 'down');
  vi.advanceTimersByTime(10_000);
  calls(1, 'well');
  for (const end of early) end('down');

  expect(seen.changes).toEqual([true, false]);
});

test('it tells whether calls are made, for how long not, and that the next one decides', () => {
  const { look, begin, calls } = guarded();
  expect(look()).toEqual({ state: 'CLOSED', openMs: null });

  calls(20, 'down');
  vi.advanceTimersByTime(4_000);
  expect(look()).toEqual({ state: 'OPEN', openMs: 6_000 });

  vi.advanceTimersByTime(6_000);
  expect(look()).toEqual({ state: 'HALF_OPEN', openMs: null });
  const end = begin();
  expect(look()).toEqual({ state: 'HALF_OPEN', openMs: null });
  end('well');
  expect(look()).toEqual({ state: 'CLOSED', openMs: null });
});
