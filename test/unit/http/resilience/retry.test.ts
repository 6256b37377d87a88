import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Delivery, type ErrorCode, UpstreamError } from '../../../../src/errors.ts';
import type { CallKind } from '../../../../src/http/call.ts';
import { ConnectionLost } from '../../../../src/http/exchange.ts';
import { getThrottleMs, isHealthy, planRetry, toVerdict } from '../../../../src/http/resilience/retry.ts';

interface Failure {
  readonly code?: ErrorCode;
  readonly delivery?: Delivery;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

const failed = ({ code = 'UPSTREAM_UNAVAILABLE', delivery = 'unknown', ...rest }: Failure) =>
  new UpstreamError(code, 'It failed.', { upstream: 'business', delivery, ...rest });

const cause = new Error('ECONNRESET');
const refused = failed({ delivery: 'notSent', cause });
const reset = failed({ cause });
const late = failed({ code: 'UPSTREAM_TIMEOUT', cause });
const unconnected = failed({ code: 'UPSTREAM_TIMEOUT', delivery: 'notSent', cause });
const answered = (status: number, retryAfterSeconds?: number) =>
  failed({
    code: status === 429 ? 'UPSTREAM_THROTTLED' : status < 500 ? 'UPSTREAM_REJECTED' : 'UPSTREAM_UNAVAILABLE',
    delivery: status < 500 ? 'rejected' : 'unknown',
    status,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
const stale = failed({ cause: new ConnectionLost(cause, true) });
const once = { made: 1, allowed: 3 };

test('a kept-alive connection that breaks says nothing of the upstream, and a read is sent again at once, over a new one', () => {
  expect(planRetry('read', stale, once, 1)).toEqual({ afterMs: 0, isFresh: true });
  expect(planRetry('write', stale, once, 1)).toBeNull();
  expect(planRetry('poll', stale, once, 1)).toBeNull();
  expect(planRetry('read', stale, { made: 3, allowed: 3 }, 1)).toBeNull();
  expect([isHealthy(stale), toVerdict(stale)]).toEqual([null, 'unknown']);
  const unused = failed({ cause: new ConnectionLost(cause, false) });
  expect(planRetry('read', unused, once, 1)?.afterMs).toBeGreaterThan(0);
  expect([isHealthy(unused), toVerdict(unused)]).toEqual([false, 'failed']);
});

describe('whether a call is retried', () => {
  // Of each failure: whether a read is, whether a write is.
  test.each<[string, UpstreamError, boolean, boolean]>([
    ['a connection that was refused', refused, true, true],
    ['a connection that did not come to stand in time', unconnected, true, true],
    ['a connection that broke', reset, true, false],
    ['an answer that came too late', late, false, false],
    ['429', answered(429), true, true],
    ['500', answered(500), true, false],
    ['501', answered(501), false, false],
    ['503', answered(503), true, false],
    ['504', answered(504), false, false],
    ['404', answered(404), false, false],
    ['409 for a lock', failed({ delivery: 'rejected', status: 409 }), true, false],
    ['an answer that makes no sense', failed({ code: 'UPSTREAM_BAD_RESPONSE', status: 200 }), false, false],
    ['a token that is not to be had', failed({ delivery: 'notSent' }), false, false],
    [
      'a call that was not let go',
      failed({ code: 'UPSTREAM_THROTTLED', delivery: 'notSent', retryAfterSeconds: 1 }),
      false,
      false,
    ],
  ])('after %s', (_what, failure, read, write) => {
    expect(planRetry('read', failure, once, 0) !== null).toBe(read);
    expect(planRetry('write', failure, once, 0) !== null).toBe(write);
    expect(planRetry('poll', failure, once, 0)).toBeNull();
    expect(planRetry('read', failure, { made: 3, allowed: 3 }, 0)).toBeNull();
    expect(planRetry('read', failure, { made: 1, allowed: 1 }, 0)).toBeNull();
  });

  test('the last attempt after a broken connection opens a new connection', () => {
    const last = { made: 2, allowed: 3 };
    expect(planRetry('read', reset, once, 0)?.isFresh).toBe(false);
    expect(planRetry('read', reset, last, 0)?.isFresh).toBe(true);
    expect(planRetry('write', refused, last, 0)?.isFresh).toBe(true);
    for (const status of [429, 502, 503])
      expect(planRetry('read', answered(status), last, 0)?.isFresh).toBe(false);
  });

  test('a read that failed with 500 is retried once', () => {
    expect(planRetry('read', answered(500), { made: 2, allowed: 3 }, 0)).toBeNull();
  });

  test('a write that may have been carried out is never retried', () => {
    const anything = fc.record({
      status: fc.option(fc.constantFrom(200, 202, 301, 400, 404, 408, 409, 412, 500, 501, 502, 503, 504)),
      delivery: fc.constantFrom<Delivery>('rejected', 'unknown'),
      code: fc.constantFrom<ErrorCode>('UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_BAD_RESPONSE'),
      retryAfterSeconds: fc.option(fc.nat(100)),
      made: fc.integer({ min: 1, max: 9 }),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(anything, ({ status, retryAfterSeconds, made, random, ...rest }) => {
        const failure = failed({
          ...rest,
          cause,
          ...(status !== null && { status }),
          ...(retryAfterSeconds !== null && { retryAfterSeconds }),
        });
        expect(planRetry('write', failure, { made, allowed: 10 }, random)).toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the pause before a retry', () => {
  const afterMs = (failure: UpstreamError, made: number, random: number, kind: CallKind = 'read') =>
    planRetry(kind, failure, { made, allowed: 100 }, random)?.afterMs;

  test.each([
    [reset, [100, 200, 400]],
    [answered(503), [500, 1_000, 2_000]],
  ])('doubles at most with each attempt, with full jitter (%#)', (failure, longest) => {
    for (const [index, ms] of longest.entries()) {
      expect(afterMs(failure, index + 1, 1)).toBe(ms);
      expect(afterMs(failure, index + 1, 0.5)).toBe(ms / 2);
      expect(afterMs(failure, index + 1, 0)).toBe(0);
    }
  });

  test('is at least the Retry-After of the upstream', () => {
    expect(afterMs(answered(429, 2), 1, 1)).toBe(2_000);
    expect(afterMs(answered(503, 3), 1, 0)).toBe(3_000);
    expect(afterMs(answered(503, 0), 1, 1)).toBe(500);
    expect(afterMs(answered(429, 3_600), 1, 0, 'write')).toBe(3_600_000);
  });

  test('of a throttled caller is its Retry-After, or half a second', () => {
    expect(getThrottleMs(answered(429, 7), null)).toBe(7_000);
    expect(getThrottleMs(answered(429), null)).toBe(500);
  });

  test('applies to the whole caller after a 502 or 503 with Retry-After, and after no other failure', () => {
    for (const status of [502, 503]) {
      expect(getThrottleMs(answered(status, 7), null)).toBe(7_000);
      expect(getThrottleMs(answered(status, 0), null)).toBeNull();
      expect(getThrottleMs(answered(status), null)).toBeNull();
    }
    for (const status of [500, 504, 400]) expect(getThrottleMs(answered(status, 7), null)).toBeNull();
    expect(getThrottleMs(reset, null)).toBeNull();
  });
});

test.each([
  [refused, false],
  [reset, false],
  [late, false],
  [answered(500), false],
  [answered(504), false],
  [answered(404), true],
  // Longer than may be read.
  [failed({ code: 'UPSTREAM_BAD_RESPONSE', cause }), true],
  // Cut short, and never sent.
  [failed({ code: 'UPSTREAM_TIMEOUT' }), null],
  [failed({ delivery: 'notSent' }), null],
  [new Error('a mistake'), null],
])(
  'what the upstream is to blame for tells of trouble, any answer of the opposite, and nothing else of either (%#)',
  (error, is) => {
    expect(isHealthy(error)).toBe(is);
  },
);

test.each([
  [refused, 'unreachable'],
  [reset, 'failed'],
  [answered(503), 'failed'],
  [answered(503, 7), 'unknown'],
  [answered(504), 'unknown'],
  [answered(500), 'answered'],
  [answered(429), 'answered'],
  [answered(403), 'unknown'],
  [failed({ code: 'UPSTREAM_BAD_RESPONSE', cause }), 'answered'],
  [failed({ code: 'UPSTREAM_TIMEOUT' }), 'unknown'],
  [new Error('a mistake'), 'unknown'],
])(
  'no connection is the upstream’s failure, any other may be the query’s, a refused token nobody’s (%#)',
  (error, is) => {
    expect(toVerdict(error)).toBe(is);
  },
);
