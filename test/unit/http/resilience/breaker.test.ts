import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { UpstreamError } from '../../../../src/errors.ts';
import { type BreakerCall, createBreaker } from '../../../../src/http/resilience/breaker.ts';
import type { CallVerdict } from '../../../../src/http/resilience/call-window.ts';

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

const verified = (name: string) => ({
  principal: name,
  rateLimitKey: name,
  verifiedIdentity: `issuer ${name}`,
});
const unverified = (name: string) => ({ principal: name, rateLimitKey: name, verifiedIdentity: null });
const underOwnToken = (name: string) => ({ principal: name, rateLimitKey: 'all', verifiedIdentity: null });

/** A breaker, and calls that end with a given verdict; `made` counts those that reach the upstream. */
function createTestBreaker(
  callerOf: (name: string) => ReturnType<typeof unverified | typeof verified> = verified,
) {
  const changes: boolean[] = [];
  const seen = { made: 0, changes };
  const breaker = createBreaker({ upstream: 'business', onChange: (isOpen) => void changes.push(isOpen) });
  const begin = (name = 'ann', kind: Kind = 'items') => {
    const end = breaker.startCall(callerOf(name), kinds[kind]);
    seen.made += 1;
    return end;
  };
  const call = (verdict: CallVerdict, name?: string, kind?: Kind): string => {
    try {
      begin(name, kind)(verdict);
      return verdict;
    } catch (error) {
      return (error as UpstreamError).code;
    }
  };
  const calls = (count: number, verdict: CallVerdict, name?: string, kind?: Kind) => {
    const results = new Set<string>();
    for (let made = 0; made < count; made++) results.add(call(verdict, name, kind));
    return [...results];
  };
  /** `count` calls, made by the callers in turn. */
  const callsOfMany = (count: number, verdict: CallVerdict, callers: readonly string[]) => {
    for (let made = 0; made < count; made++) call(verdict, callers[made % callers.length]);
  };
  const look = (name = 'ann') => breaker.snapshot(callerOf(name));
  return { seen, begin, call, calls, callsOfMany, look, state: breaker.getState };
}

const refused = 'UPSTREAM_UNAVAILABLE';
const three = ['bob', 'cid', 'dan'];
const many = Array.from({ length: 40 }, (_, number) => `caller ${number}`);

describe('the shared circuit', () => {
  test('opens for ten seconds after twenty failed connections within ten seconds', () => {
    const { seen, call, calls } = createTestBreaker();
    calls(30, 'unreachable');
    expect(seen).toEqual({ made: 20, changes: [true] });

    vi.advanceTimersByTime(9_999);
    expect(call('succeeded', 'ben')).toBe(refused);
    expect(seen.made).toBe(20);
  });

  test('opens when twenty calls of three callers fail, and not of two callers', () => {
    const { seen, callsOfMany } = createTestBreaker();
    callsOfMany(38, 'failed', ['bob', 'cid']);
    expect(seen.changes).toEqual([]);

    callsOfMany(1, 'failed', ['dan']);
    expect(seen.changes).toEqual([true]);
  });

  test('opens when four of five callers fail, and not when three of four do', () => {
    const { seen, calls, callsOfMany } = createTestBreaker();
    calls(5, 'succeeded', 'ann');
    callsOfMany(57, 'failed', three);
    expect(seen.changes).toEqual([]);

    callsOfMany(1, 'failed', ['eve']);
    expect(seen.changes).toEqual([true]);
  });

  test('counts failures that the upstream reports itself only while nothing succeeds', () => {
    const { seen, call, callsOfMany } = createTestBreaker();
    call('rejected', 'ann');
    callsOfMany(38, 'reported', [...three, 'eve']);
    callsOfMany(9, 'failed', three);
    expect(seen.changes).toEqual([]);

    vi.advanceTimersByTime(11_000);
    callsOfMany(20, 'reported', three);
    expect(seen.changes).toEqual([true]);
  });

  test('stays closed while a few callers fail and most calls succeed', () => {
    const { seen, calls, callsOfMany } = createTestBreaker();
    calls(50, 'succeeded', 'ann');
    callsOfMany(40, 'failed', many);
    expect(seen.changes).toEqual([]);
  });

  test.each<CallVerdict>(['succeeded', 'rejected'])(
    'as long as more than half of the calls are %s and the rest find no connection, nothing is stopped',
    (verdict) => {
      const { seen, calls } = createTestBreaker();
      for (let rounds = 0; rounds < 50; rounds++) {
        calls(3, verdict);
        calls(2, 'unreachable');
        calls(50, 'unknown');
      }
      expect(seen.changes).toEqual([]);
    },
  );

  test('needs twenty failures within ten seconds', () => {
    const { seen, calls } = createTestBreaker();
    calls(19, 'unreachable');
    vi.advanceTimersByTime(11_000);
    calls(19, 'unreachable');

    expect(seen.changes).toEqual([]);
  });

  test('counts all unverified tokens as one caller', () => {
    const { seen, call, callsOfMany } = createTestBreaker(unverified);
    callsOfMany(400, 'failed', many);
    expect(seen).toEqual({ made: 400, changes: [] });
    expect(call('succeeded', 'an honest one')).toBe('succeeded');
  });

  test('counts each token that the upstream has accepted as a caller, also later', () => {
    const { seen, callsOfMany } = createTestBreaker(unverified);
    callsOfMany(3, 'succeeded', three);
    vi.advanceTimersByTime(600_000);
    callsOfMany(20, 'failed', three);
    expect(seen.changes).toEqual([true]);
  });

  test("does not count a caller as verified by calls with Tributary's own token", () => {
    const { seen, callsOfMany } = createTestBreaker(underOwnToken);
    callsOfMany(3, 'succeeded', three);
    vi.advanceTimersByTime(600_000);
    callsOfMany(57, 'failed', three);
    expect(seen.changes).toEqual([]);
  });
});

describe('an open circuit', () => {
  test('lets one trial through after ten seconds, which closes it or keeps it open for another ten', () => {
    const { seen, call, calls } = createTestBreaker();
    calls(20, 'unreachable');
    vi.advanceTimersByTime(10_000);
    expect([call('unreachable'), call('succeeded'), call('succeeded', 'ben')]).toEqual([
      'unreachable',
      refused,
      refused,
    ]);

    vi.advanceTimersByTime(10_000);
    expect(calls(30, 'succeeded')).toEqual(['succeeded']);
    expect(seen.changes).toEqual([true, false]);
  });

  test('lets another caller try a second after a trial that its query may have failed', () => {
    const { seen, call, callsOfMany } = createTestBreaker();
    callsOfMany(20, 'failed', three);
    vi.advanceTimersByTime(10_000);
    expect([call('failed', 'bob'), call('succeeded', 'ann')]).toEqual(['failed', refused]);

    vi.advanceTimersByTime(1_000);
    expect([call('failed', 'bob'), call('succeeded', 'ann'), call('succeeded', 'cat')]).toEqual([
      refused,
      'succeeded',
      'succeeded',
    ]);
    expect(seen.changes).toEqual([true, false]);
  });

  test('fails calls at once during a trial, and lets another trial through when the first takes long', () => {
    const { begin, call, calls } = createTestBreaker();
    calls(20, 'unreachable');
    vi.advanceTimersByTime(10_000);
    const slow = begin();
    expect(call('succeeded')).toBe(refused);

    vi.advanceTimersByTime(10_000);
    expect(call('succeeded')).toBe('succeeded');
    slow('unreachable');
    expect(call('succeeded')).toBe('succeeded');
  });

  test('lets the next call try after a trial that was aborted', () => {
    const { seen, call, calls } = createTestBreaker();
    calls(20, 'unreachable');
    vi.advanceTimersByTime(10_000);
    expect([call('unknown'), call('unreachable'), call('succeeded')]).toEqual([
      'unknown',
      'unreachable',
      refused,
    ]);
    expect(seen.changes).toEqual([true]);
  });

  test('closes at any response, and forgets earlier failures', () => {
    const { seen, calls } = createTestBreaker();
    calls(20, 'unreachable');
    vi.advanceTimersByTime(10_000);
    calls(1, 'rejected');
    calls(19, 'unreachable');

    expect(seen.changes).toEqual([true, false, true]);
  });

  test('ignores calls of an earlier generation', () => {
    const { seen, begin, calls } = createTestBreaker();
    const early = Array.from({ length: 40 }, () => begin());
    calls(20, 'unreachable');
    vi.advanceTimersByTime(10_000);
    calls(1, 'succeeded');
    for (const end of early) end('unreachable');

    expect(seen.changes).toEqual([true, false]);
  });
});

describe('the circuit of one caller', () => {
  test('stops calls of one kind for ten seconds after twenty failures, and no other calls', () => {
    const { seen, call, calls } = createTestBreaker();
    calls(30, 'failed', 'ann', 'items');
    expect(seen).toEqual({ made: 20, changes: [] });
    expect([
      call('succeeded', 'ann', 'items'),
      call('succeeded', 'ann', 'customers'),
      call('succeeded', 'ann', 'creates of items'),
      call('succeeded', 'ben', 'items'),
    ]).toEqual([refused, 'succeeded', 'succeeded', 'succeeded']);

    vi.advanceTimersByTime(10_000);
    expect([call('failed'), call('succeeded')]).toEqual(['failed', refused]);
    vi.advanceTimersByTime(10_000);
    expect(calls(30, 'succeeded')).toEqual(['succeeded']);
  });

  test('belongs to the verified caller, whatever its token', () => {
    const { seen, callsOfMany } = createTestBreaker((token) => ({
      principal: token,
      rateLimitKey: token,
      verifiedIdentity: 'issuer ann',
    }));
    callsOfMany(100, 'failed', many);
    expect(seen).toEqual({ made: 20, changes: [] });
  });

  test('ignores calls that were running when it opened', () => {
    const { begin, call, calls } = createTestBreaker();
    const early = Array.from({ length: 5 }, () => begin());
    calls(20, 'failed');
    vi.advanceTimersByTime(10_000);
    for (const end of early) end('succeeded');
    expect([call('failed'), call('succeeded')]).toEqual(['failed', refused]);
  });

  test("ignores failed connections, which are the upstream's", () => {
    const { call, calls } = createTestBreaker();
    calls(20, 'unreachable');
    vi.advanceTimersByTime(10_000);
    expect(call('succeeded', 'ben')).toBe('succeeded');
    expect(call('succeeded', 'ann')).toBe('succeeded');
  });

  test('exists for a thousand callers at most, and for a minute after the last failure', () => {
    const { state, calls } = createTestBreaker(unverified);
    for (let number = 0; number < 1_500; number++) calls(20, 'failed', `one of a crowd, ${number}`);
    expect(state()).toEqual({ isOpen: false, failingCallers: 1_000 });

    vi.advanceTimersByTime(60_001);
    expect(state()).toEqual({ isOpen: false, failingCallers: 0 });
  });
});

describe('a snapshot', () => {
  test('has the state and the time until the next trial', () => {
    const { look, begin, calls, state } = createTestBreaker();
    expect(look()).toEqual({ state: 'CLOSED', openMs: null });

    calls(20, 'unreachable');
    vi.advanceTimersByTime(4_000);
    expect(look()).toEqual({ state: 'OPEN', openMs: 6_000 });
    expect(state()).toEqual({ isOpen: true, failingCallers: 0 });

    vi.advanceTimersByTime(6_000);
    expect(look()).toEqual({ state: 'HALF_OPEN', openMs: null });
    const end = begin();
    expect(look()).toEqual({ state: 'HALF_OPEN', openMs: null });
    end('succeeded');
    expect(look()).toEqual({ state: 'CLOSED', openMs: null });
  });

  test('includes the circuits of that caller only', () => {
    const { look, calls, state } = createTestBreaker();
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

test('sets of APIs beside the standard one are kinds of their own', () => {
  const breaker = createBreaker({ upstream: 'business', onChange() {} });
  const pathOf = (route: string, set: string) => `/api/${route}/companies(1)/${set}`;
  const call = (path: string, verdict: CallVerdict): string => {
    try {
      breaker.startCall(verified('ann'), { method: 'GET', path })(verdict);
      return verdict;
    } catch (error) {
      return (error as UpstreamError).code;
    }
  };

  for (let made = 0; made < 40; made++) call(pathOf('contoso/app/v1.0', "items('a/b')"), 'failed');

  expect(call(pathOf('contoso/app/v1.0', 'items?$top=1'), 'succeeded')).toBe(refused);
  for (const path of [
    pathOf('contoso/app/v1.0', 'others'),
    pathOf('contoso/app/v2.0', 'items'),
    pathOf('contoso/other/v1.0', 'items'),
    pathOf('v1.0', 'items'),
  ])
    expect(call(path, 'succeeded')).toBe('succeeded');
});
