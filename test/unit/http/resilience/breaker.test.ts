import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { UpstreamError } from '../../../../src/errors.ts';
import { type CallVerdict, createBreaker } from '../../../../src/http/resilience/breaker.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.advanceTimersByTime(98_765);
});
afterEach(() => void vi.useRealTimers());

/** A breaker, and calls that end with a given verdict; `made` counts those that reach the upstream. */
function createTestBreaker() {
  const changes: boolean[] = [];
  const seen = { made: 0, changes };
  const breaker = createBreaker({
    upstream: 'business',
    minFailures: 20,
    onChange: (isOpen) => void changes.push(isOpen),
  });
  const begin = () => {
    const end = breaker.startCall();
    seen.made += 1;
    return end;
  };
  const call = (verdict: CallVerdict): string => {
    try {
      begin()(verdict);
      return verdict;
    } catch (error) {
      return (error as UpstreamError).code;
    }
  };
  const calls = (count: number, verdict: CallVerdict) => {
    const results = new Set<string>();
    for (let made = 0; made < count; made++) results.add(call(verdict));
    return [...results];
  };
  return { seen, begin, call, calls, look: breaker.snapshot, isOpen: breaker.isOpen };
}

const refused = 'UPSTREAM_UNAVAILABLE';

test.each<CallVerdict>(['unreachable', 'failed'])(
  'opens at twenty calls that end as %s, and none is made for a second',
  (verdict) => {
    const { seen, call, calls } = createTestBreaker();
    calls(30, verdict);
    expect(seen).toEqual({ made: 20, changes: [true] });

    vi.advanceTimersByTime(999);
    expect(call('answered')).toBe(refused);
    expect(seen.made).toBe(20);
  },
);

test('while any call is answered, any number of failures opens nothing', () => {
  const { seen, call, calls } = createTestBreaker();
  for (let round = 0; round < 30; round++) {
    call('answered');
    calls(40, 'failed');
    vi.advanceTimersByTime(2_999);
  }
  expect(seen.changes).toEqual([]);

  vi.advanceTimersByTime(1);
  call('failed');
  expect(seen.changes).toEqual([true]);
});

test('opens when half of the calls find no connection, though others are answered', () => {
  const { seen, calls } = createTestBreaker();
  for (let round = 0; round < 50; round++) {
    calls(3, 'answered');
    calls(2, 'unreachable');
    calls(50, 'unknown');
  }
  expect(seen.changes).toEqual([]);

  calls(50, 'unreachable');
  expect(seen.changes).toEqual([true]);
});

test('an open breaker lets one call a second through', () => {
  const { seen, call, calls } = createTestBreaker();
  calls(20, 'failed');
  for (let second = 0; second < 8; second++) {
    vi.advanceTimersByTime(1_000);
    expect([call('failed'), call('answered')]).toEqual(['failed', refused]);
  }
  vi.advanceTimersByTime(1_000);
  expect([call('answered'), call('answered')]).toEqual(['answered', 'answered']);
  expect(seen.changes).toEqual([true, false]);
});

test('the next call is let through a second later, though the one before is still in flight', () => {
  const { begin, call, calls } = createTestBreaker();
  calls(20, 'unreachable');
  vi.advanceTimersByTime(1_000);
  const slow = begin();
  expect(call('answered')).toBe(refused);

  vi.advanceTimersByTime(1_000);
  expect(call('answered')).toBe('answered');
  slow('unreachable');
  expect(call('answered')).toBe('answered');
});

test('closes at any answer, and forgets earlier failures', () => {
  const { seen, calls } = createTestBreaker();
  calls(20, 'unreachable');
  vi.advanceTimersByTime(1_000);
  calls(1, 'answered');
  vi.advanceTimersByTime(3_000);
  calls(19, 'unreachable');

  expect(seen.changes).toEqual([true, false]);
});

test('ignores calls that started before it opened', () => {
  const { seen, begin, calls } = createTestBreaker();
  const early = Array.from({ length: 40 }, () => begin());
  calls(20, 'unreachable');
  vi.advanceTimersByTime(1_000);
  calls(1, 'answered');
  for (const end of early) end('unreachable');

  expect(seen.changes).toEqual([true, false]);
});
