import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { UpstreamError } from '../../../src/errors.ts';
import { type BreakerCall, createBreaker } from '../../../src/upstream/breaker.ts';
import type { Verdict } from '../../../src/upstream/call-window.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.advanceTimersByTime(98_765);
});
afterEach(() => void vi.useRealTimers());

const kinds = {
  items: { method: 'GET', path: '/api/v2.0/companies(1)/items?$top=5' },
  customers: { method: 'GET', path: '/api/v2.0/companies(1)/customers(2)' },
  'creates of items': { method: 'POST', path: '/api/v2.0/companies(1)/items', kind: 'write' },
} as const satisfies Record<string, BreakerCall>;
type Kind = keyof typeof kinds;

const verified = (name: string) => ({ principal: name, pace: name, verifiedAs: `issuer ${name}` });
const madeUp = (name: string) => ({ principal: name, pace: name, verifiedAs: null });
const underOwnToken = (name: string) => ({ principal: name, pace: 'all', verifiedAs: null });

/** Breakers of one upstream, and calls of callers that end as is said; `made` counts those that reach the upstream. */
function guarded(callerOf: (name: string) => ReturnType<typeof madeUp | typeof verified> = verified) {
  const changes: boolean[] = [];
  const seen = { made: 0, changes };
  const breaker = createBreaker({ upstream: 'business', onChange: (isOpen) => void changes.push(isOpen) });
  const begin = (name = 'ann', kind: Kind = 'items') => {
    const end = breaker.begin(callerOf(name), kinds[kind]);
    seen.made += 1;
    return end;
  };
  const call = (verdict: Verdict, name?: string, kind?: Kind): string => {
    try {
      begin(name, kind)(verdict);
      return verdict;
    } catch (error) {
      return (error as UpstreamError).code;
    }
  };
  const calls = (count: number, verdict: Verdict, name?: string, kind?: Kind) => {
    const told = new Set<string>();
    for (let made = 0; made < count; made++) told.add(call(verdict, name, kind));
    return [...told];
  };
  /** One call of each of so many callers in turn. */
  const callsOfMany = (count: number, verdict: Verdict, callers: readonly string[]) => {
    for (let made = 0; made < count; made++) call(verdict, callers[made % callers.length]);
  };
  const look = (name = 'ann') => breaker.look(callerOf(name));
  return { seen, begin, call, calls, callsOfMany, look, state: breaker.state };
}

const refused = 'UPSTREAM_UNAVAILABLE';
const three = ['bob', 'cid', 'dan'];
const many = Array.from({ length: 40 }, (_, number) => `caller ${number}`);

describe('for all callers', () => {
  test('an upstream that nobody can connect to twenty times within ten seconds is left alone for ten', () => {
    const { seen, call, calls } = guarded();
    calls(30, 'unreachable');
    expect(seen).toEqual({ made: 20, changes: [true] });

    vi.advanceTimersByTime(9_999);
    expect(call('served', 'ben')).toBe(refused);
    expect(seen.made).toBe(20);
  });

  test('one that fails three callers twenty times is, too, and one that fails two of them is not', () => {
    const { seen, callsOfMany } = guarded();
    callsOfMany(38, 'failed', ['bob', 'cid']);
    expect(seen.changes).toEqual([]);

    callsOfMany(1, 'failed', ['dan']);
    expect(seen.changes).toEqual([true]);
  });

  test('one that fails three callers and serves a fourth is not, and one that serves one of many is', () => {
    const { seen, calls, callsOfMany } = guarded();
    calls(5, 'served', 'ann');
    callsOfMany(57, 'failed', three);
    expect(seen.changes).toEqual([]);

    callsOfMany(1, 'failed', ['eve']);
    expect(seen.changes).toEqual([true]);
  });

  test('few callers who are failed stop nothing while most calls of others are answered', () => {
    const { seen, calls, callsOfMany } = guarded();
    calls(50, 'served', 'ann');
    callsOfMany(40, 'failed', many);
    expect(seen.changes).toEqual([]);
  });

  test.each<Verdict>(['served', 'answered'])(
    'as long as more than half of the calls are %s and the rest find no connection, nothing is stopped',
    (verdict) => {
      const { seen, calls } = guarded();
      for (let rounds = 0; rounds < 50; rounds++) {
        calls(3, verdict);
        calls(2, 'unreachable');
        calls(50, 'unknown');
      }
      expect(seen.changes).toEqual([]);
    },
  );

  test('nineteen failures stop nothing, and those of more than ten seconds ago do not count', () => {
    const { seen, calls } = guarded();
    calls(19, 'unreachable');
    vi.advanceTimersByTime(11_000);
    calls(19, 'unreachable');

    expect(seen.changes).toEqual([]);
  });

  test('any number of tokens that nobody has verified count as one caller', () => {
    const { seen, call, callsOfMany } = guarded(madeUp);
    callsOfMany(400, 'failed', many);
    expect(seen).toEqual({ made: 400, changes: [] });
    expect(call('served', 'an honest one')).toBe('served');
  });

  test('tokens that the upstream has accepted count each, later on, too', () => {
    const { seen, callsOfMany } = guarded(madeUp);
    callsOfMany(3, 'served', three);
    vi.advanceTimersByTime(600_000);
    callsOfMany(20, 'failed', three);
    expect(seen.changes).toEqual([true]);
  });

  test('what it accepts under a token of the layer’s own proves no caller', () => {
    const { seen, callsOfMany } = guarded(underOwnToken);
    callsOfMany(3, 'served', three);
    vi.advanceTimersByTime(600_000);
    callsOfMany(57, 'failed', three);
    expect(seen.changes).toEqual([]);
  });
});

describe('when it is left alone', () => {
  test('one call sees after ten seconds whether it is back: all go again, or none for as long', () => {
    const { seen, call, calls } = guarded();
    calls(20, 'unreachable');
    vi.advanceTimersByTime(10_000);
    expect([call('unreachable'), call('served'), call('served', 'ben')]).toEqual([
      'unreachable',
      refused,
      refused,
    ]);

    vi.advanceTimersByTime(10_000);
    expect(calls(30, 'served')).toEqual(['served']);
    expect(seen.changes).toEqual([true, false]);
  });

  test('after a trial that may have failed for its query, another caller tries a second later', () => {
    const { seen, call, callsOfMany } = guarded();
    callsOfMany(20, 'failed', three);
    vi.advanceTimersByTime(10_000);
    expect([call('failed', 'bob'), call('served', 'ann')]).toEqual(['failed', refused]);

    vi.advanceTimersByTime(1_000);
    expect([call('failed', 'bob'), call('served', 'ann'), call('served', 'cat')]).toEqual([
      refused,
      'served',
      'served',
    ]);
    expect(seen.changes).toEqual([true, false]);
  });

  test('whoever comes while that one call is under way does not wait for it, and another goes when it takes long', () => {
    const { begin, call, calls } = guarded();
    calls(20, 'unreachable');
    vi.advanceTimersByTime(10_000);
    const slow = begin();
    expect(call('served')).toBe(refused);

    vi.advanceTimersByTime(10_000);
    expect(call('served')).toBe('served');
    slow('unreachable');
    expect(call('served')).toBe('served');
  });

  test('a call that was cut short decides nothing, and the next one sees', () => {
    const { seen, call, calls } = guarded();
    calls(20, 'unreachable');
    vi.advanceTimersByTime(10_000);
    expect([call('unknown'), call('unreachable'), call('served')]).toEqual([
      'unknown',
      'unreachable',
      refused,
    ]);
    expect(seen.changes).toEqual([true]);
  });

  test('any answer shows that it is back, and what failed before is forgotten', () => {
    const { seen, calls } = guarded();
    calls(20, 'unreachable');
    vi.advanceTimersByTime(10_000);
    calls(1, 'answered');
    calls(19, 'unreachable');

    expect(seen.changes).toEqual([true, false, true]);
  });

  test('what was begun before the last change says nothing of how it is since', () => {
    const { seen, begin, calls } = guarded();
    const early = Array.from({ length: 40 }, () => begin());
    calls(20, 'unreachable');
    vi.advanceTimersByTime(10_000);
    calls(1, 'served');
    for (const end of early) end('unreachable');

    expect(seen.changes).toEqual([true, false]);
  });
});

describe('for one caller', () => {
  test('calls that fail twenty times are not made for ten seconds; other kinds and other callers’ are', () => {
    const { seen, call, calls } = guarded();
    calls(30, 'failed', 'ann', 'items');
    expect(seen).toEqual({ made: 20, changes: [] });
    expect([
      call('served', 'ann', 'items'),
      call('served', 'ann', 'customers'),
      call('served', 'ann', 'creates of items'),
      call('served', 'ben', 'items'),
    ]).toEqual([refused, 'served', 'served', 'served']);

    vi.advanceTimersByTime(10_000);
    expect([call('failed'), call('served')]).toEqual(['failed', refused]);
    vi.advanceTimersByTime(10_000);
    expect(calls(30, 'served')).toEqual(['served']);
  });

  test('it is the caller who is verified, whatever token a call has', () => {
    const { seen, callsOfMany } = guarded((token) => ({
      principal: token,
      pace: token,
      verifiedAs: 'issuer ann',
    }));
    callsOfMany(100, 'failed', many);
    expect(seen).toEqual({ made: 20, changes: [] });
  });

  test('calls under way when it opens do not decide what becomes of it', () => {
    const { begin, call, calls } = guarded();
    const early = Array.from({ length: 5 }, () => begin());
    calls(20, 'failed');
    vi.advanceTimersByTime(10_000);
    for (const end of early) end('served');
    expect([call('failed'), call('served')]).toEqual(['failed', refused]);
  });

  test('no connection is the upstream’s, not the caller’s', () => {
    const { call, calls } = guarded();
    calls(20, 'unreachable');
    vi.advanceTimersByTime(10_000);
    expect(call('served', 'ben')).toBe('served');
    expect(call('served', 'ann')).toBe('served');
  });

  test('a thousand callers at most have some, and a minute after the last failure none', () => {
    const { state, calls } = guarded(madeUp);
    for (let number = 0; number < 1_500; number++) calls(20, 'failed', `one of a crowd, ${number}`);
    expect(state()).toEqual({ isOpen: false, failingCallers: 1_000 });

    vi.advanceTimersByTime(60_001);
    expect(state()).toEqual({ isOpen: false, failingCallers: 0 });
  });
});

describe('a look', () => {
  test('tells whether calls are made, for how long not, and that the next one decides', () => {
    const { look, begin, calls, state } = guarded();
    expect(look()).toEqual({ state: 'CLOSED', openMs: null });

    calls(20, 'unreachable');
    vi.advanceTimersByTime(4_000);
    expect(look()).toEqual({ state: 'OPEN', openMs: 6_000 });
    expect(state()).toEqual({ isOpen: true, failingCallers: 0 });

    vi.advanceTimersByTime(6_000);
    expect(look()).toEqual({ state: 'HALF_OPEN', openMs: null });
    const end = begin();
    expect(look()).toEqual({ state: 'HALF_OPEN', openMs: null });
    end('served');
    expect(look()).toEqual({ state: 'CLOSED', openMs: null });
  });

  test('tells a caller of its own calls that are not made, and nobody else', () => {
    const { look, calls, state } = guarded();
    calls(20, 'failed', 'ann', 'items');
    vi.advanceTimersByTime(4_000);
    calls(20, 'failed', 'ann', 'customers');

    expect(look('ann')).toEqual({ state: 'OPEN', openMs: 10_000 });
    expect(look('ben')).toEqual({ state: 'CLOSED', openMs: null });
    expect(state()).toEqual({ isOpen: false, failingCallers: 1 });
    vi.advanceTimersByTime(10_000);
    expect(look('ann')).toEqual({ state: 'HALF_OPEN', openMs: null });
  });
});
